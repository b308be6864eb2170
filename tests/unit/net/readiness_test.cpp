// Rounds of the loop where many streams are ready at once: each has one turn, and others of the loop have theirs
// meanwhile.

#include "headgate/net/readiness.hpp"

#include "support/descriptors.hpp"
#include "unit/net/loop.hpp"

#include <boost/asio/post.hpp>

#include <functional>
#include <vector>

namespace headgate::net {
namespace {

class ManyReady : public test::Loop {
 protected:
  ~ManyReady() override {
    for (const auto& stream : streams_) stream->close();
  }

  /// `act` runs in the first turn. Nobody reads the byte of a stream, so whoever had a second turn would be told again.
  void make_ready(
      std::size_t many, std::function<void()> act = [] {}) {
    headgate::test::allow_descriptors(2 * many + 500);
    act_ = std::move(act);
    boost::asio::basic_socket_acceptor<Tcp, Executor> acceptor(
        loop_, Tcp::endpoint(boost::asio::ip::address_v4::loopback(), 0));
    while (streams_.size() < many) {
      fars_.emplace_back(loop_.get_executor()).connect(acceptor.local_endpoint());
      Socket near(loop_.get_executor());
      acceptor.accept(near);
      const auto& stream = streams_.emplace_back(new Stream(std::move(near), timers_));
      stream->watch_on(&ManyReady::on_turn, this, test::seconds(60));
    }
    for (auto& far : fars_) write_to(far);
  }
  static void write_to(Socket& far) { EXPECT_EQ(far.write_some(boost::asio::buffer("x", 1)), 1U); }
  /// Whether all have had a turn. Waits a little longer, for second ones.
  bool all_had_turns() {
    if (!run_until(all_)) return false;
    loop_.restart();
    loop_.run_for(test::milliseconds(20));
    return true;
  }

  std::vector<Socket> fars_;
  std::vector<StreamPtr> streams_;
  std::size_t turns_ = 0;

 private:
  static void on_turn(void* self, Stream& stream) {
    auto& many = *static_cast<ManyReady*>(self);
    stream.watch_on(&ManyReady::on_turn, self, test::seconds(60));
    if (++many.turns_ == many.streams_.size()) many.all_ = true;
    if (many.turns_ == 1) many.act_();
  }

  std::function<void()> act_;
  bool all_ = false;
};

TEST_F(ManyReady, HaveOneTurnEach) {
  make_ready(300);
  ASSERT_TRUE(all_had_turns());
  EXPECT_EQ(turns_, 300U);
}

TEST_F(ManyReady, HaveOneTurnEachAlsoWhereMoreAreReadyThanMayWait) {
  constexpr auto kAll = Readiness::kWaiting + 50;
  make_ready(kAll);
  ASSERT_TRUE(all_had_turns());
  EXPECT_EQ(turns_, kAll);
}

TEST_F(ManyReady, LetOthersOfTheLoopHaveTheirTurnBefore) {
  std::size_t posted_after = 0;
  make_ready(300, [&] { boost::asio::post(loop_, [&] { posted_after = turns_; }); });
  ASSERT_TRUE(all_had_turns());
  EXPECT_GT(posted_after, 0U);
  EXPECT_LT(posted_after, 300U);
}

TEST_F(ManyReady, HaveOneTurnWhereTwoLooksSeeThem) {
  make_ready(200, [&] {
    for (std::size_t i = 1; i < fars_.size(); ++i) write_to(fars_[i]);
    EXPECT_TRUE(boost::asio::use_service<Readiness>(loop_).look_again());
  });
  ASSERT_TRUE(all_had_turns());
  EXPECT_EQ(turns_, 200U);
}

TEST_F(ManyReady, HaveAnotherTurnForWhatComesAfterTheirs) {
  make_ready(300, [&] { boost::asio::post(loop_, [&] { write_to(fars_[0]); }); });
  ASSERT_TRUE(all_had_turns());
  EXPECT_EQ(turns_, 301U);
}

TEST_F(ManyReady, AreNotLookedAtAgainInVainWhereMoreAreReadyThanMayWait) {
  make_ready(Readiness::kWaiting + 50, [&] {
    EXPECT_FALSE(boost::asio::use_service<Readiness>(loop_).look_again());
    EXPECT_FALSE(boost::asio::use_service<Readiness>(loop_).tells());
  });
  ASSERT_TRUE(all_had_turns());
}

TEST_F(ManyReady, KeepNoLoopOnceTheyAreClosed) {
  make_ready(300, [&] {
    for (const auto& stream : streams_) stream->close();
    near_->close();
    timers_.stop();
  });
  loop_.restart();
  loop_.run_for(test::seconds(10));
  EXPECT_TRUE(loop_.stopped()) << "nothing is left to wait for";
  EXPECT_EQ(turns_, 1U);
}

}  // namespace
}  // namespace headgate::net
