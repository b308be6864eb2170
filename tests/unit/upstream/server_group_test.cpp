// A group of servers with diallers of another protocol, which needs no sockets: it chooses, counts and gives back the
// same, and makes a dialler anew only for a server that has changed.

#include "headgate/upstream/server_group.hpp"

#include "support/virtual_clock.hpp"

#include <boost/asio/error.hpp>

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace headgate::upstream {
namespace {

using headgate::test::VirtualClock;

class NoWire final : public CountedAttempt {
 public:
  using CountedAttempt::CountedAttempt;
  std::string_view server() const noexcept override { return "wireless"; }
  Task<Result<void>> send(const RequestStart&, std::string_view, http::EndStream) override { co_return Result<void>{}; }
  Task<Result<void>> write(std::string_view, http::EndStream) override { co_return Result<void>{}; }
  Task<Result<void>> finish(const http::Fields&) override { co_return Result<void>{}; }
  Task<Result<void, Failure>> read_head(http::ReplyHead&, Duration) override { co_return Result<void, Failure>{}; }
  http::BodyReader& body() noexcept override { std::abort(); }
  http::BodyReader& tunnel(Duration) override { std::abort(); }
  void cancel() noexcept override {}
};

/// What a group does with the diallers of its servers.
struct Seen {
  std::vector<std::string> calls;
  bool first_is_down = false;
};

class ScriptedDialler final : public Dialler {
 public:
  ScriptedDialler(Seen& seen, const Clock& clock, std::string name, balance::ServerPtr row)
      : seen_(seen), clock_(clock), name_(std::move(name)), row_(std::move(row)) {
    note("new");
  }
  void use(const ServerGroupOptions&) noexcept override { note("use"); }
  CountedAttemptPtr take_idle(std::size_t) noexcept override { return nullptr; }
  Task<Result<CountedAttemptPtr, Failure>> connect(std::size_t at) override {
    note("connect");
    if (seen_.first_is_down && at == 0)
      co_return Failure{.what = Failed::no_connection, .cause = boost::asio::error::connection_refused};
    const CountedAttemptPtr out(new NoWire(*this, *row_, clock_));
    out->lend(at);
    co_return out;
  }
  void give_back(CountedAttemptPtr attempt) override {
    attempt->take_back();
    note("back");
  }
  void lead_to(const std::vector<net::Tcp::endpoint>&) override { note("lead"); }
  void break_off() override { note("break"); }
  void stop() override { note("stop"); }

 private:
  void note(const char* what) { seen_.calls.push_back(std::string(what) + ' ' + name_); }
  Seen& seen_;
  const Clock& clock_;
  std::string name_;
  balance::ServerPtr row_;
};

class GroupOfServers : public testing::Test {
 protected:
  GroupOfServers() {
    options_.name = "app";
    options_.servers.push_back({"a", 80, "a:80"});
    options_.servers.push_back({"b", 80, "b:80"});
    group_ = make(nullptr);
  }
  std::unique_ptr<ServerGroup> make(const ServerGroup* before) {
    const auto dial = [this](const ServerGroupOptions& options, std::size_t at, const balance::ServerPtr& row) {
      return std::make_shared<ScriptedDialler>(seen_, clock_, options.servers[at].text, row);
    };
    return std::make_unique<ServerGroup>(clock_, options_, dial, 0, before);
  }
  AttemptPtr connect() {
    std::optional<Result<AttemptPtr, Failure>> out;
    spawn(put(group_->connect(choice_), out), "test");
    EXPECT_TRUE(out && out->has_value());
    return out && out->has_value() ? **out : nullptr;
  }
  std::vector<std::string> calls() { return std::exchange(seen_.calls, {}); }
  using Calls = std::vector<std::string>;

  VirtualClock clock_;
  Seen seen_;
  ServerGroupOptions options_;
  std::unique_ptr<ServerGroup> group_;
  balance::Choice choice_;

 private:
  static Task<void> put(Task<Result<AttemptPtr, Failure>> task, std::optional<Result<AttemptPtr, Failure>>& out) {
    out.emplace(co_await task);
  }
};

TEST_F(GroupOfServers, CountsWhatIsInFlightUntilItIsGivenBack) {
  EXPECT_EQ(calls(), (Calls{"new a:80", "new b:80"}));
  auto attempt = connect();
  EXPECT_EQ(group_->servers()[0].in_flight, 1U);
  group_->note(*attempt, balance::AttemptOutcome::answered, std::chrono::milliseconds(3));
  EXPECT_EQ(group_->servers()[0].latency, std::chrono::milliseconds(3));
  group_->give_back(std::move(attempt));
  EXPECT_EQ(group_->servers()[0].in_flight, 0U);
  EXPECT_EQ(calls(), (Calls{"connect a:80", "back a:80"}));
}

TEST_F(GroupOfServers, TriesTheNextServerIfOneCannotBeReached) {
  seen_.first_is_down = true;
  const auto attempt = connect();
  EXPECT_EQ(attempt->at(), 1U);
  EXPECT_TRUE(choice_.tried.has(0));
  EXPECT_EQ(group_->servers()[1].in_flight, 1U);
}

TEST_F(GroupOfServers, TellsOnlyTheServerThatIsMeant) {
  calls();
  group_->take_down("b:80");
  group_->use({"a", 80, {}});
  group_->stop();
  EXPECT_EQ(calls(), (Calls{"break b:80", "lead a:80", "stop a:80", "stop b:80"}));
}

TEST_F(GroupOfServers, KeepsTheDiallersOfServersThatStayOverAReload) {
  auto attempt = connect();
  options_.servers[1].text = "c:80";
  calls();
  const auto next = make(group_.get());
  EXPECT_EQ(calls(), (Calls{"use a:80", "new c:80"}));
  EXPECT_EQ(next->servers()[0].in_flight, 1U) << "and their rows";
  group_->give_back(std::move(attempt));
  EXPECT_EQ(next->servers()[0].in_flight, 0U);
  options_.tls.emplace();
  calls();
  const auto secured = make(next.get());
  EXPECT_EQ(calls(), (Calls{"new a:80", "new c:80"})) << "they are reached in another way";
}

}  // namespace
}  // namespace headgate::upstream
