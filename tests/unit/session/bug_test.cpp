// A step that throws is a bug. Its request is answered, counted and logged like any other.

#include "support/per.hpp"
#include "support/rules.hpp"
#include "unit/net/loop.hpp"

#include "headgate/gateway/gateway.hpp"
#include "headgate/limit/algorithm.hpp"
#include "headgate/limit/memory_store.hpp"
#include "headgate/net/loop_clock.hpp"
#include "headgate/observe/logs.hpp"
#include "headgate/session/sessions.hpp"

#include <boost/smart_ptr/make_local_shared.hpp>

#include <gmock/gmock.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace headgate::session {
namespace {

using testing::HasSubstr;

const limit::Algorithm& broken_algorithm() {
  static const limit::Algorithm broken = [] {
    limit::Algorithm out = *limit::find_algorithm("token_bucket");
    out.peek = [](const limit::State&, const limit::Rule&, std::int64_t, Instant) -> limit::Outcome {
      throw std::runtime_error("this algorithm is broken");
    };
    return out;
  }();
  return broken;
}

class Bug : public net::test::Loop {
 protected:
  Bug() : log_path_(std::filesystem::temp_directory_path() / ("headgate_bug_test." + std::to_string(::getpid()))) {
    std::filesystem::remove(log_path_);
    observe::LogOptions logs;
    logs.access = log_path_.string();
    logs_ = std::make_unique<observe::Logs>(logs);
    log_ = logs_->access_log();
    gateway::PathOptions options;
    gateway::RouteOptions route;
    route.name = "broken";
    route.path = "/*";
    route.respond.emplace();
    route.limits.emplace_back().limit = "plan";
    options.routes.push_back(route);
    limit::Rule rule = headgate::test::make_rule("1/second");
    rule.algorithm = &broken_algorithm();
    limit::Limit limit;
    limit.name = "plan";
    limit.per.push_back(headgate::test::make_per("client_ip"));
    limit.tiers.emplace_back().rules.push_back(rule);
    const auto compiled = std::make_shared<const gateway::CompiledConfig>(
        options, identity::IdentityOptions{}, std::vector{limit}, std::vector<gateway::UpstreamOptions>{}, 1);
    const auto keys = std::make_shared<const identity::ApiKeys>();
    const auto snapshot = boost::make_local_shared<gateway::Snapshot>();
    snapshot->compiled = compiled;
    snapshot->counters = std::make_shared<const gateway::ExchangeCounters>(registry_, 0, *compiled);
    snapshot->credentials = std::make_shared<const gateway::ActiveCredentials>(
        *compiled, std::make_shared<const identity::Credentials>(identity::Credentials{keys, {}}));
    gateway_ = std::make_unique<gateway::Gateway>(
        gateway::Services{clock_, random_, memory_, log_, bans_, rooms_, flights_}, snapshot);
    sessions_ = std::make_unique<Sessions>(*gateway_, clock_, blocks_, timeouts_, bounds_, connections_);
  }
  ~Bug() override {
    sessions_->close_all();
    std::filesystem::remove(log_path_);
  }

  std::string answer_to(std::string_view request) {
    sessions_->take(near_, std::make_shared<ListenerSettings>());
    say(request);
    std::string out;
    const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(10);
    while (!out.ends_with("}\n") && std::chrono::steady_clock::now() < until) {
      loop_.restart();
      loop_.run_one_for(net::test::milliseconds(20));
      out += heard();
    }
    return out;
  }

  /// Another thread writes it after the log is gone.
  std::string logged() {
    sessions_->close_all();
    gateway_.reset();
    logs_.reset();
    const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(10);
    std::ostringstream out;
    while (out.str().empty() && std::chrono::steady_clock::now() < until) out << std::ifstream(log_path_).rdbuf();
    return out.str();
  }

  net::LoopClock clock_{loop_};
  observe::Registry registry_;
  limit::MemoryStore memory_{limit::MemoryOptions{1000}};
  limit::BanTable bans_;
  room::MemoryRooms rooms_;
  shed::WaitQueues flights_;
  net::Blocks blocks_{{16UL * 1024, 4}, {64UL * 1024, 4}};
  Timeouts timeouts_;
  Bounds bounds_;
  Totals connections_;
  std::filesystem::path log_path_;
  std::unique_ptr<observe::Logs> logs_;
  observe::AccessLog log_;
  Random random_{1};
  std::unique_ptr<gateway::Gateway> gateway_;
  std::unique_ptr<Sessions> sessions_;
};

TEST_F(Bug, InAStepIsAnsweredCountedAndLogged) {
  EXPECT_THAT(answer_to("GET /a HTTP/1.1\r\nHost: x\r\n\r\n"), HasSubstr("HTTP/1.1 500 "));
  EXPECT_THAT(registry_.text(), HasSubstr(R"(headgate_requests_total{route="broken",method="GET",code="500"} 1)"));
  const auto line = logged();
  EXPECT_THAT(line, HasSubstr("/a"));
  EXPECT_THAT(line, HasSubstr("500"));
  EXPECT_THAT(line, HasSubstr("bug"));
}

}  // namespace
}  // namespace headgate::session
