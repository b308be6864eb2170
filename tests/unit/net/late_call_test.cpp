#include "headgate/net/late_call.hpp"

#include "unit/net/loop.hpp"

namespace headgate::net {
namespace {

using LateCallTest = test::Loop;

struct Caller {
  Stream& stream;
  int made = 0;
  int made_in_turn = -1;
  bool done = false;
  LateCall call{[](void* self) { ++static_cast<Caller*>(self)->made; }, this};

  static void on_bytes(void* self, Stream&) {
    auto& caller = *static_cast<Caller*>(self);
    caller.stream.later(caller.call);
    caller.stream.later(caller.call);
    EXPECT_TRUE(caller.call.asked());
    caller.made_in_turn = caller.made;
    caller.done = true;
  }
};

TEST_F(LateCallTest, ComesOnceBehindTheTurnsInWhichItWasAskedFor) {
  Caller caller{*near_};
  near_->watch(&Caller::on_bytes, &caller, test::seconds(5));
  say("x");
  ASSERT_TRUE(run_until(caller.done));
  EXPECT_EQ(caller.made_in_turn, 0);
  EXPECT_EQ(caller.made, 1) << "before the loop waits again";
  EXPECT_FALSE(caller.call.asked());
}

TEST_F(LateCallTest, ComesAtOnceIfNobodyHasATurn) {
  Caller caller{*near_};
  near_->later(caller.call);
  EXPECT_EQ(caller.made, 1);
}

TEST_F(LateCallTest, DoesNotComeForWhatIsGone) {
  bool done = false;
  struct Event {
    static void on_bytes(void* done, Stream& stream) {
      Caller gone{stream};
      stream.later(gone.call);
      EXPECT_TRUE(gone.call.asked());
      *static_cast<bool*>(done) = true;
    }
  };
  near_->watch(&Event::on_bytes, &done, test::seconds(5));
  say("x");
  ASSERT_TRUE(run_until(done));
}

TEST_F(LateCallTest, MayLookAgainAndWhatItFindsHasItsTurn) {
  boost::asio::basic_socket_acceptor<Tcp, Executor> acceptor(loop_,
                                                             Tcp::endpoint(boost::asio::ip::address_v4::loopback(), 0));
  Socket far(loop_.get_executor());
  far.connect(acceptor.local_endpoint());
  Socket near(loop_.get_executor());
  acceptor.accept(near);
  const StreamPtr other(new Stream(std::move(near), timers_));
  struct Looker {
    Socket& far;
    Stream& other;
    Readiness& readiness;
    bool told = false;
    LateCall call{[](void* self) { static_cast<Looker*>(self)->look(); }, this};

    void look() {
      EXPECT_EQ(far.write_some(boost::asio::buffer("x", 1)), 1U);
      other.watch(&Looker::on_other, this, test::seconds(5));
      EXPECT_TRUE(readiness.look_again());
    }
    static void on_bytes(void* self, Stream& stream) { stream.later(static_cast<Looker*>(self)->call); }
    static void on_other(void* self, Stream&) { static_cast<Looker*>(self)->told = true; }
  };
  Looker looker{far, *other, boost::asio::use_service<Readiness>(loop_)};
  near_->watch(&Looker::on_bytes, &looker, test::seconds(5));
  say("x");
  EXPECT_TRUE(run_until(looker.told, test::milliseconds(1000)));
  other->close();
}

}  // namespace
}  // namespace headgate::net
