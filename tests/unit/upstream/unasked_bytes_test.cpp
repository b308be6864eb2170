// Bytes that come on a pooled connection and that nobody asked for, when it is taken for the next request: it is
// not, and they are nobody's answer. What comes between the look of the loop and the request cannot be told from what
// comes while the request is on its way.

#include "support/descriptors.hpp"
#include "unit/upstream/servers.hpp"

#include "headgate/net/readiness.hpp"
#include "headgate/net/stream.hpp"

#include <functional>

namespace headgate::upstream::test {
namespace {

class UnaskedBytes : public Servers {
 protected:
  UnaskedBytes() { begin(1); }
  ~UnaskedBytes() override { close_others(); }

  /// Readable streams of others. After the turns of `before` of them, one runs `act` in its turn.
  void make_others_ready(std::size_t many, std::function<void()> act, std::size_t before = 0) {
    act_ = std::move(act);
    before_ = before;
    Acceptor acceptor(loop_, net::Tcp::endpoint(boost::asio::ip::address_v4::loopback(), 0));
    while (others_.size() < many) {
      net::Socket near(loop_.get_executor());
      far_of_others_.emplace_back(loop_.get_executor()).connect(acceptor.local_endpoint());
      acceptor.accept(near);
      others_.emplace_back(new net::Stream(std::move(near), timers_));
      others_.back()->watch(&UnaskedBytes::turn, this);
      say(far_of_others_.back(), "x");
    }
  }
  /// Runs `act` while the loop tells what it saw of all streams.
  void in_a_turn(std::function<void()> act) {
    close_others();
    make_others_ready(1, std::move(act));
    run_turn();
  }
  void run_turn() {
    const auto until = std::chrono::steady_clock::now() + seconds(10);
    while (act_ && std::chrono::steady_clock::now() < until) {
      loop_.restart();
      loop_.run_one_for(milliseconds(100));
    }
    ASSERT_FALSE(act_) << "its turn never came";
  }
  AttemptPtr used() {
    auto attempt = connect();
    EXPECT_TRUE(exchange(*attempt, far(), kAnswer).has_value());
    return attempt;
  }
  AttemptPtr take() { return upstream_->take_idle(choice_); }

 private:
  /// Some may still wait for their turn, and the loop keeps those.
  void close_others() {
    for (const auto& other : others_) other->close();
    others_.clear();
  }
  static void turn(void* self, net::Stream&) {
    auto& test = *static_cast<UnaskedBytes*>(self);
    if (test.before_ > 0)
      --test.before_;
    else if (auto act = std::exchange(test.act_, nullptr))
      act();
  }

  std::function<void()> act_;
  std::size_t before_ = 0;
  std::vector<net::StreamPtr> others_;
  std::vector<net::Socket> far_of_others_;
};

TEST_F(UnaskedBytes, InTheSegmentOfAnAnswerEndItsConnection) {
  auto attempt = connect();
  ASSERT_TRUE(exchange(*attempt, far(), std::string(kAnswer) + std::string(kAnswer)).has_value());
  in_a_turn([&] {
    give_back(std::move(attempt));
    EXPECT_EQ(take(), nullptr);
  });
}

TEST_F(UnaskedBytes, InALaterSegmentOfTheSameTurnEndTheConnection) {
  auto attempt = used();
  in_a_turn([&] {
    give_back(std::move(attempt));
    say(far(), kAnswer);
    EXPECT_EQ(take(), nullptr) << "the loop has not looked since";
  });
}

TEST_F(UnaskedBytes, AreNotNeededForAnEndInTheSameTurnToEndTheConnection) {
  auto attempt = used();
  in_a_turn([&] {
    give_back(std::move(attempt));
    far().close();
    EXPECT_EQ(take(), nullptr) << "a request on it would fail";
  });
}

TEST_F(UnaskedBytes, InALateTurnOfALongRoundEndTheConnection) {
  give_back(used());
  make_others_ready(
      40,
      [&] {
        say(far(), kAnswer);
        EXPECT_EQ(take(), nullptr) << "the look of this round is too old";
      },
      30);
  run_turn();
}

TEST_F(UnaskedBytes, AreLookedForOnceForAllConnectionsOfATurn) {
  auto first = used();
  auto second = used();
  const auto& readiness = boost::asio::use_service<net::Readiness>(loop_);
  in_a_turn([&] {
    give_back(std::move(first));
    give_back(std::move(second));
    const auto looks = readiness.looks();
    const auto one = take();
    const auto other = take();
    EXPECT_TRUE(one && other);
    EXPECT_EQ(readiness.looks(), looks + 1);
  });
}

TEST_F(UnaskedBytes, InALaterTurnEndTheConnectionBeforeItsOwnTurnComes) {
  give_back(used());
  make_others_ready(1, [&] { EXPECT_EQ(take(), nullptr) << "the same look saw both"; });
  say(far(), kAnswer);
  run_turn();
}

TEST_F(UnaskedBytes, InALaterTurnEndTheConnectionInItsOwnTurn) {
  give_back(used());
  say(far(), kAnswer);
  in_a_turn([&] { EXPECT_EQ(take(), nullptr); });
}

TEST_F(UnaskedBytes, AreSeenBetweenTurnsToo) {
  give_back(used());
  in_a_turn([] {});
  say(far(), kAnswer);
  EXPECT_EQ(take(), nullptr);
}

TEST_F(UnaskedBytes, AreLookedForOnceForAllAlsoLateInALongRound) {
  give_back(used());
  const auto& readiness = boost::asio::use_service<net::Readiness>(loop_);
  make_others_ready(
      200,
      [&] {
        const auto looks = readiness.looks();
        EXPECT_TRUE(take());
        EXPECT_EQ(readiness.looks(), looks + 1) << "the kernel is not asked about this connection alone";
      },
      120);
  run_turn();
}

TEST_F(UnaskedBytes, AreSeenWhereMoreStreamsAreReadyThanOneLookTells) {
  give_back(used());
  headgate::test::allow_descriptors(2000);
  make_others_ready(net::Readiness::kWaiting + 50, [&] { EXPECT_EQ(take(), nullptr) << "nobody has told of it yet"; });
  say(far(), kAnswer);
  run_turn();
}

TEST_F(UnaskedBytes, DoNotHideAConnectionWithoutThem) {
  auto first = used();
  auto* const silent = first.get();
  give_back(std::move(first));
  give_back(used());
  say(far(), kAnswer);
  in_a_turn([&] { EXPECT_EQ(take().get(), silent); });
}

TEST_F(UnaskedBytes, MayStillComeOnAConnectionOfThisTurnSoOthersAreTakenFirst) {
  auto rested = used();
  auto* const one = rested.get();
  give_back(std::move(rested));
  auto fresh = used();
  auto* const other = fresh.get();
  in_a_turn([&] {
    give_back(std::move(fresh));
    const auto taken = take();
    EXPECT_EQ(taken.get(), one);
    EXPECT_EQ(take().get(), other) << "another look says that nothing came";
  });
}

}  // namespace
}  // namespace headgate::upstream::test
