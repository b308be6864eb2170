// Calls of the rate limit service in simulations: decided by the descriptors in the log.

#include "unit/access_logs/temporary_log.hpp"
#include "unit/simulate/policies.hpp"

#include "headgate/access_logs/log_arrivals.hpp"
#include "headgate/envoy/call_text.hpp"

#include <gmock/gmock.h>

namespace headgate::simulate {
namespace {

using headgate::test::TemporaryLog;

/// Findings of a replay of calls.
struct ReplayedCalls {
  Figures figures;
  access_logs::ReadCounts counts;
};

config::Config deciding(const std::string& rate, const std::string& pattern = "*") {
  return test::config_of(R"("limits": {"login": {"rate": ")" + rate +
                         R"(", "algorithm": "fixed_window", "per": "descriptor:remote_address", "store": "memory"},
               "api": {"rate": "4/hour", "algorithm": "fixed_window", "per": "total", "store": "memory"}},
    "decide": [{"domain": "edge", "match": {"generic_key": "login", "remote_address": ")" +
                         pattern + R"("}, "limits": ["login"]},
               {"domain": "edge", "match": {"path": "/api/*"}, "limits": ["api"]}],
    "routes": [{"path": "/*", "to": "app"}])");
}

std::string quoted_call(std::string text) {
  for (std::size_t at = 0; (at = text.find('"', at)) != text.npos; at += 2) text.insert(at, 1, '\\');
  return text;
}

/// A line about a call with these descriptors, a list of JSON, in this second.
std::string line_of_call(unsigned second, const std::string& descriptors, const std::string& more = {}) {
  return R"({"ts":"2026-11-24T12:00:)" + std::to_string(10 + second) +
         R"(.000000Z","event":"request","client_ip":"10.0.0.7","method":"POST","host":"a.example",)"
         R"("path":"/envoy.service.ratelimit.v3.RateLimitService/ShouldRateLimit","status":200,"ended_by":"respond")" +
         (descriptors.empty()
              ? std::string()
              : R"(,"descriptors":")" + quoted_call(R"({"domain":"edge","descriptors":)" + descriptors + more + "}") +
                    '"') +
         "}\n";
}

ReplayedCalls replayed_calls(const config::Config& config, const std::string& text) {
  const TemporaryLog file(text);
  auto log = access_logs::LogArrivals::open({.files = {file.path()}});
  if (log.has_error()) {
    ADD_FAILURE() << log.error();
    return {};
  }
  auto trial = run(policy_of(config), **log, {});
  return {std::move(trial.figures), (*log)->counts()};
}

const LimitFigures& limit_of_calls(const ReplayedCalls& replayed, std::string_view name) {
  for (const auto& each : replayed.figures.limits)
    if (each.name == name) return each;
  throw std::logic_error("no limit");
}

TEST(SimulatedCalls, AreDecidedByTheirDescriptors) {
  std::string text;
  for (unsigned i = 0; i < 5; ++i)
    text += line_of_call(i, R"([{"generic_key":"login","remote_address":"203.0.113.9"}])");
  text += line_of_call(6, R"([{"generic_key":"login","remote_address":"203.0.113.10"}])");
  text += line_of_call(7, R"([{"other":"1"}])");
  const auto replayed = replayed_calls(deciding("3/hour"), text);
  EXPECT_EQ(replayed.figures.requests, 7U);
  EXPECT_EQ(replayed.counts.assumed_ok, 0U);
  EXPECT_EQ(limit_of_calls(replayed, "login").requests(), 6U);
  EXPECT_EQ(limit_of_calls(replayed, "login").rejected(), 2U);
  EXPECT_EQ(limit_of_calls(replayed, "api").requests(), 0U);
}

TEST(SimulatedCalls, DecideAllDescriptorsTogetherAndWithTheirHits) {
  const std::string both = R"([{"generic_key":"login","remote_address":"7"},{"path":"/api/a"}])";
  const auto replayed = replayed_calls(
      deciding("5/hour"), line_of_call(0, both, R"(,"hits":[3,1])") + line_of_call(1, both, R"(,"hits":[3,1])") +
                              line_of_call(2, both, R"(,"hits":[-1,1])") + line_of_call(3, both, R"(,"hits":[3,1])"));
  EXPECT_EQ(limit_of_calls(replayed, "login").rejected(), 1U) << "one hit was given back before the last call";
  EXPECT_EQ(limit_of_calls(replayed, "api").requests(), 4U);
  EXPECT_EQ(limit_of_calls(replayed, "api").rejected(), 0U) << "a rejected call takes nothing";
}

TEST(SimulatedCalls, WithAnIdInPlaceOfAValueMatchOnlyAnyValue) {
  std::string text;
  for (unsigned i = 0; i < 4; ++i)
    text += line_of_call(i, R"([{"generic_key":"login","remote_address":"k_0123456789abcdef"}])");
  EXPECT_EQ(limit_of_calls(replayed_calls(deciding("3/hour"), text), "login").rejected(), 1U);
  EXPECT_EQ(limit_of_calls(replayed_calls(deciding("3/hour", "203.0.*"), text), "login").requests(), 0U);
}

TEST(SimulatedCalls, WithoutDescriptorsInTheLogAreLeftOut) {
  const auto replayed = replayed_calls(
      deciding("3/hour"), line_of_call(0, "") + line_of_call(1, R"([{"path":"/api/a"}])") + line_of_call(2, ""));
  EXPECT_EQ(replayed.figures.requests, 1U);
  EXPECT_EQ(replayed.counts.untold_calls, 2U);
  EXPECT_EQ(replayed.counts.unread, 0U);
}

TEST(SimulatedCalls, ThatAreCutOffAreLeftOut) {
  const auto replayed = replayed_calls(
      deciding("3/hour"), line_of_call(0, R"([{"path":"/api/a"}])") + line_of_call(1, R"([{"path":"/a...)"));
  EXPECT_EQ(replayed.figures.requests, 1U);
  EXPECT_EQ(replayed.counts.untold_calls, 1U);
  EXPECT_EQ(replayed.counts.unread, 0U);
}

TEST(SimulatedCalls, ThatAServerAnsweredAreRequests) {
  const std::string line =
      R"({"ts":"2026-11-24T12:00:10.000000Z","event":"request","client_ip":"10.0.0.7","method":"POST",)"
      R"("path":"/envoy.service.ratelimit.v3.RateLimitService/ShouldRateLimit","status":200,"ended_by":"upstream"})"
      "\n";
  EXPECT_EQ(replayed_calls(deciding("3/hour"), line).figures.requests, 1U);
}

}  // namespace
}  // namespace headgate::simulate
