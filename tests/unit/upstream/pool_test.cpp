// Pooled connections: which are used first, and which are never used again.

#include "unit/upstream/servers.hpp"

#include <boost/asio/steady_timer.hpp>

namespace headgate::upstream::test {
namespace {

class Pool : public Servers {
 protected:
  /// A connection that has carried an exchange.
  AttemptPtr used(std::string_view answer = kAnswer) {
    auto attempt = connect();
    EXPECT_TRUE(exchange(*attempt, far(), answer).has_value());
    return attempt;
  }
};

TEST_F(Pool, HasNothingAtFirst) {
  begin(1);
  EXPECT_EQ(upstream_->take_idle(choice_), nullptr);
}

TEST_F(Pool, IsLastInFirstOut) {
  begin(1);
  auto first = used();
  auto second = used();
  auto* const one = first.get();
  auto* const two = second.get();
  give_back(std::move(first));
  give_back(std::move(second));
  const auto again = upstream_->take_idle(choice_);
  EXPECT_EQ(again.get(), two);
  EXPECT_EQ(upstream_->take_idle(choice_).get(), one) << "and this one grows old";
  EXPECT_EQ(upstream_->take_idle(choice_), nullptr);
}

TEST_F(Pool, CarriesOneExchangeAfterAnother) {
  begin(1);
  give_back(used());
  const auto kept = upstream_->take_idle(choice_);
  ASSERT_NE(kept, nullptr);
  EXPECT_TRUE(exchange(*kept, far(), kAnswer).has_value());
  EXPECT_EQ(head_.status, 200U);
}

TEST_F(Pool, KeepsNoMoreThanItsMaximum) {
  begin(1, 1);
  auto first = used();
  auto second = used();
  give_back(std::move(first));
  give_back(std::move(second));
  EXPECT_NE(upstream_->take_idle(choice_), nullptr);
  EXPECT_EQ(upstream_->take_idle(choice_), nullptr);
}

TEST_F(Pool, SkipsAConnectionWithUnrequestedBytes) {
  begin(1);
  give_back(used());
  say(far(), kAnswer);
  EXPECT_EQ(upstream_->take_idle(choice_), nullptr) << "they would be read as the next caller's answer";
}

TEST_F(Pool, ClosesAConnectionWithBytesAfterTheAnswer) {
  begin(1);
  give_back(used("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nokHTTP/1.1 200 OK\r\n\r\n"));
  EXPECT_EQ(upstream_->take_idle(choice_), nullptr);
}

TEST_F(Pool, ClosesAnIdleConnectionWhenUnrequestedBytesCome) {
  begin(1);
  give_back(used());
  say(far(), "x");
  char byte = 0;
  boost::system::error_code ended;
  while (!ended) {
    loop_.restart();
    loop_.run_one_for(milliseconds(10));
    far().non_blocking(true);
    far().read_some(boost::asio::buffer(&byte, 1), ended);
    if (ended == error::would_block) ended.clear();
  }
  EXPECT_NE(ended, error::would_block) << "it is closed";
}

TEST_F(Pool, TakesNoConnectionThatItsServerClosed) {
  begin(1);
  give_back(used());
  far().close();
  EXPECT_EQ(upstream_->take_idle(choice_), nullptr);
}

TEST_F(Pool, KeepsNoConnectionWhoseServerSaysClose) {
  begin(1);
  give_back(used("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok"));
  EXPECT_EQ(upstream_->take_idle(choice_), nullptr);
}

TEST_F(Pool, KeepsNoConnectionWhoseAnswerWasNotReadWhole) {
  begin(1);
  give_back(used("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nok"));
  EXPECT_EQ(upstream_->take_idle(choice_), nullptr);
}

TEST_F(Pool, ReportsAPooledConnectionThatClosedBeforeTheFirstByte) {
  begin(1);
  give_back(used());
  const auto kept = upstream_->take_idle(choice_);
  ASSERT_NE(kept, nullptr);
  ASSERT_TRUE(send(*kept).has_value());
  far().close();
  const auto head = run(kept->read_head(head_, seconds(10)));
  ASSERT_TRUE(head.has_error());
  EXPECT_EQ(head.error().what, Failed::closed);
  EXPECT_TRUE(head.error().reused) << "its server most likely never saw the request";
}

TEST_F(Pool, ReportsANewConnectionThatClosed) {
  begin(1);
  const auto fresh = connect();
  ASSERT_TRUE(send(*fresh).has_value());
  far().close();
  const auto head = run(fresh->read_head(head_, seconds(10)));
  ASSERT_TRUE(head.has_error());
  EXPECT_FALSE(head.error().reused);
}

TEST_F(Pool, StaysEmptyAfterStop) {
  begin(1);
  auto lent = used();
  give_back(used());
  upstream_->stop();
  EXPECT_EQ(upstream_->take_idle(choice_), nullptr);
  give_back(std::move(lent));
  EXPECT_EQ(upstream_->take_idle(choice_), nullptr);
}

TEST_F(Pool, LosesItsConnectionsAndTakesNoneWhenItsServerIsTakenDown) {
  begin(1);
  give_back(used());
  const auto kept = upstream_->take_idle(choice_);  // one that was used before
  auto other = used();
  auto late = used();
  give_back(std::move(other));
  ASSERT_TRUE(send(*kept).has_value());
  upstream_->servers()[0].out = balance::kDown;
  boost::asio::steady_timer soon(loop_, milliseconds(20));
  soon.async_wait([&](const auto&) { upstream_->take_down("s0"); });
  const auto head = run(kept->read_head(head_, seconds(10)));
  ASSERT_TRUE(head.has_error());
  EXPECT_EQ(head.error().what, Failed::closed);
  EXPECT_STREQ(head.error().why, kTakenDown);
  EXPECT_FALSE(head.error().reused) << "the server may have seen the request, so it is not simply sent again";
  give_back(std::move(late));
  upstream_->servers()[0].out = 0;
  EXPECT_EQ(upstream_->take_idle(choice_), nullptr) << "neither the idle one nor one that comes back is kept";
  const auto again = connect();
  EXPECT_TRUE(exchange(*again, far(), kAnswer).has_value());
}

TEST_F(Pool, BreaksOffABegunAnswerWhenItsServerIsTakenDown) {
  begin(1);
  const auto attempt = connect();
  ASSERT_TRUE(exchange(*attempt, far(), "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nok").has_value());
  boost::asio::steady_timer soon(loop_, milliseconds(20));
  soon.async_wait([&](const auto&) { upstream_->take_down("s0"); });
  const auto bytes = run(attempt->body().read());
  ASSERT_TRUE(bytes.has_error());
  EXPECT_EQ(bytes.error(), error::operation_aborted);
}

TEST_F(Pool, CountsWhatIsInFlightWithEachServer) {
  begin(1);
  const auto& row = upstream_->servers()[0];
  auto kept = used();
  auto broken = used();
  EXPECT_EQ(row.in_flight, 2U);
  broken.reset();
  EXPECT_EQ(row.in_flight, 1U);
  give_back(std::move(kept));
  EXPECT_EQ(row.in_flight, 0U);
  EXPECT_EQ(row.latency, milliseconds(1));
  kept = upstream_->take_idle(choice_);
  EXPECT_EQ(row.in_flight, 1U);
}

TEST_F(Pool, LetsAWaitForAnAnswerBeCancelled) {
  begin(1);
  const auto attempt = connect();
  ASSERT_TRUE(send(*attempt).has_value());
  boost::asio::post(loop_, [&] { attempt->cancel(); });
  const auto head = run(attempt->read_head(head_, seconds(10)));
  ASSERT_TRUE(head.has_error());
  EXPECT_EQ(head.error().cause, error::operation_aborted);
}

}  // namespace
}  // namespace headgate::upstream::test
