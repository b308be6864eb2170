// What an upstream tells its policy, and what a reload keeps.

#include "unit/upstream/servers.hpp"

#include "headgate/balance/policy.hpp"

#include <optional>

namespace headgate::upstream::test {
namespace {

class Choices : public Servers {
 protected:
  std::unique_ptr<ServerGroup> changed(const ServerGroupOptions& options, unsigned worker = 0) {
    return std::make_unique<ServerGroup>(clock_, options, h1_dialler({loop_, timers_, blocks_, clock_, random_}),
                                         worker, upstream_.get());
  }
  /// Leaves an idle connection to each server.
  void keep_one_of_each() {
    std::vector<AttemptPtr> attempts;
    for (std::size_t i = 0; i < options_.servers.size(); ++i) {
      attempts.push_back(connect());
      ASSERT_TRUE(exchange(*attempts.back(), far(), kAnswer).has_value());
    }
    for (auto& attempt : attempts) give_back(std::move(attempt));
  }
  std::uint32_t in_flight(std::size_t at) { return upstream_->servers()[at].in_flight; }
  static Task<void> keep(Task<Result<AttemptPtr, Failure>> task, std::optional<Result<AttemptPtr, Failure>>& out) {
    out.emplace(co_await task);
  }
};

TEST_F(Choices, KnowTheRequestsInFlight) {
  begin(2);
  auto one = connect();
  auto two = connect();
  EXPECT_EQ(one->at(), 0U);
  EXPECT_EQ(two->at(), 1U);
  EXPECT_EQ(in_flight(0), 1U);
  ASSERT_TRUE(exchange(*one, far_[0], kAnswer).has_value());
  give_back(std::move(one));
  EXPECT_EQ(in_flight(0), 0U) << "given back";
  two->cancel();
  EXPECT_EQ(in_flight(1), 1U) << "until nobody holds it";
  two = nullptr;
  EXPECT_EQ(in_flight(1), 0U) << "broken off";
  auto again = upstream_->take_idle(choice_);
  ASSERT_NE(again, nullptr);
  EXPECT_EQ(in_flight(0), 1U) << "taken from the pool";
}

TEST_F(Choices, KeepNoConnectionOnWhichAnAnswerIsStillDueNorATunnel) {
  for (const std::string_view head :
       {"HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n", "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n"}) {
    begin(1);
    auto one = connect();
    ASSERT_TRUE(exchange(*one, far(), head).has_value()) << head;
    give_back(std::move(one));
    EXPECT_EQ(upstream_->take_idle(choice_), nullptr) << "its next user would get what is meant for the last one";
  }
}

TEST_F(Choices, CountAServerThatDoesNotConnectYet) {
  begin(1);
  options_.servers.front().host = "localhost";  // an address connects at once on one machine, a name is looked up
  upstream_ = changed(options_);
  std::optional<Result<AttemptPtr, Failure>> out;
  spawn(keep(upstream_->connect(choice_), out), "test");
  EXPECT_FALSE(out);
  EXPECT_EQ(in_flight(0), 1U);
  const auto until = std::chrono::steady_clock::now() + seconds(10);
  while (!out && std::chrono::steady_clock::now() < until) {
    loop_.restart();
    loop_.run_one_for(milliseconds(100));
  }
  ASSERT_TRUE(out && out->has_value());
  EXPECT_EQ(in_flight(0), 1U) << "once, connected or not";
  out.reset();
  EXPECT_EQ(in_flight(0), 0U);
}

TEST_F(Choices, CountAFailedConnectionNoMore) {
  begin(1);
  acceptors_[0].close();
  EXPECT_TRUE(run(upstream_->connect(choice_)).has_error());
  EXPECT_EQ(in_flight(0), 0U);
  EXPECT_TRUE(choice_.tried.has(0));
}

TEST_F(Choices, LeaveOutWhatTheRequestHasTriedWhileAnotherIsLeft) {
  begin(3);
  choice_.tried.add(0);
  choice_.tried.add(2);
  EXPECT_EQ(connect()->at(), 1U);
  choice_.tried.add(1);
  EXPECT_NE(connect(), nullptr) << "all were tried, so all may be tried again";
  EXPECT_TRUE(choice_.tried.empty());
}

TEST_F(Choices, UseTheirPolicy) {
  options_.balance = balance::find_policy("least_in_flight");
  begin(2);
  upstream_->servers()[0].in_flight = 7;
  for (int i = 0; i < 3; ++i) EXPECT_EQ(connect()->at(), 1U);
}

TEST_F(Choices, DoNotTakeAServerForFastThatFails) {
  options_.balance = balance::find_policy("prequal");
  begin(2);
  std::vector<AttemptPtr> attempts(2);
  for (int i = 0; i < 2; ++i) {
    auto attempt = connect();
    const auto at = attempt->at();
    ASSERT_TRUE(exchange(*attempt, far(), at == 0 ? "HTTP/1.1 500 No\r\nContent-Length: 2\r\n\r\nno" : kAnswer));
    attempts[at] = std::move(attempt);
    choice_.tried.add(at);
  }
  choice_.tried.clear();
  upstream_->note(*attempts[1], balance::AttemptOutcome::answered, milliseconds(50));
  upstream_->note(*attempts[0], balance::AttemptOutcome::server_error, milliseconds(1));
  auto& rows = upstream_->servers();
  EXPECT_EQ(rows[0].latency, milliseconds(100)) << "as slow as twice the slowest";
  for (int i = 0; i < 3; ++i) EXPECT_EQ(connect()->at(), 1U);
}

TEST_F(Choices, NoteAServerThatCannotBeReachedAsFailed) {
  options_.balance = balance::find_policy("least_in_flight");
  begin(2);
  acceptors_[0].close();
  for (int i = 0; i < 2; ++i) EXPECT_EQ(connect()->at(), 1U);
  EXPECT_GT(balance::recent_failures(upstream_->servers()[0], clock_.steady().time_since_epoch().count()), 0);
}

TEST_F(Choices, TryNoOtherServerForARequestThatIsOver) {
  begin(2);
  acceptors_[0].close();
  const bool over = true;
  choice_.over = &over;
  EXPECT_TRUE(run(upstream_->connect(choice_)).has_error());
  EXPECT_TRUE(choice_.tried.has(0));
  EXPECT_FALSE(choice_.tried.has(1));
}

TEST_F(Choices, SendAKeyToOneServer) {
  options_.balance = balance::find_policy("consistent_hash");
  begin(3);
  std::vector<bool> used(3);
  for (std::uint64_t key = 0; key < 20; ++key) {
    choice_.key = key;
    const auto at = connect()->at();
    used[at] = true;
    EXPECT_EQ(connect()->at(), at);
  }
  EXPECT_EQ(used, std::vector<bool>(3, true));
}

TEST_F(Choices, BeginWithAnotherServerOnEachWorker) {
  begin(3);
  for (const unsigned worker : {0U, 1U, 2U, 3U}) {
    upstream_ =
        std::make_unique<ServerGroup>(clock_, options_, h1_dialler({loop_, timers_, blocks_, clock_, random_}), worker);
    EXPECT_EQ(connect()->at(), worker % 3);
  }
}

TEST_F(Choices, KeepConnectionsAndRequestsInFlightOverAReload) {
  begin(2);
  keep_one_of_each();
  auto under_way = connect();
  ASSERT_EQ(under_way->at(), 0U);
  auto options = options_;
  options.servers[0].weight = 5;
  options.servers.push_back({"127.0.0.1", 1, "new"});
  std::swap(options.servers[0], options.servers[1]);
  options.max_idle = 7;
  auto next = changed(options);
  auto& rows = next->servers();
  EXPECT_EQ(rows[1].in_flight, 1U);
  EXPECT_EQ(rows[1].weight, 5U) << "its new weight";
  EXPECT_EQ(rows[1].latency, upstream_->servers()[0].latency);
  EXPECT_EQ(rows[0].since, 0) << "it was there";
  EXPECT_NE(rows[2].since, 0) << "it is new, and begins slowly";
  choice_.tried.add(1);
  choice_.tried.add(2);
  EXPECT_NE(next->take_idle(choice_), nullptr) << "the connection of before";
  give_back(std::move(under_way));
  EXPECT_EQ(rows[1].in_flight, 0U) << "given back to the upstream of before";
  upstream_.reset();
  choice_.tried.clear();
  choice_.tried.add(0);
  choice_.tried.add(2);
  EXPECT_NE(next->take_idle(choice_), nullptr);
}

TEST_F(Choices, ForgetAServerThatLeaves) {
  begin(2);
  keep_one_of_each();
  auto options = options_;
  options.servers.pop_back();
  auto next = changed(options);
  upstream_.reset();
  EXPECT_NE(next->take_idle(choice_), nullptr);
  EXPECT_EQ(next->take_idle(choice_), nullptr);
}

TEST_F(Choices, KeepTwoServersOfOneNameApart) {
  begin(1);
  options_.servers.push_back(options_.servers[0]);
  upstream_ = std::make_unique<ServerGroup>(clock_, options_, h1_dialler({loop_, timers_, blocks_, clock_, random_}));
  upstream_->servers()[1].in_flight = 3;
  EXPECT_NE(upstream_->servers()[0].hash, upstream_->servers()[1].hash);
  auto options = options_;
  options.max_idle = 1;
  auto next = changed(options);
  EXPECT_EQ(next->servers()[0].in_flight, 0U);
  EXPECT_EQ(next->servers()[1].in_flight, 3U);
  EXPECT_EQ(next->servers()[0].hash, upstream_->servers()[0].hash) << "keys stay where they were";
}

TEST_F(Choices, BeginAnewIfTlsChanges) {
  begin(1);
  keep_one_of_each();
  auto options = options_;
  options.tls.emplace();
  EXPECT_EQ(changed(options)->take_idle(choice_), nullptr);
}

TEST_F(Choices, KeepTheRequestsThatAreCountedOverAReload) {
  options_.concurrency.emplace().adaptive.emplace();
  begin(1);
  auto options = options_;
  options.servers[0].weight = 2;
  EXPECT_EQ(changed(options)->concurrency(), upstream_->concurrency());
  options.concurrency->reserved = 1;
  EXPECT_NE(changed(options)->concurrency(), upstream_->concurrency());
  options.concurrency.reset();
  EXPECT_EQ(changed(options)->concurrency(), nullptr);
}

}  // namespace
}  // namespace headgate::upstream::test
