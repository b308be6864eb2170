// The unit of a limit: requests, tokens or money.

#include "config/build.hpp"
#include "config/text/codes.hpp"
#include "config/values.hpp"

#include "headgate/gateway/problem.hpp"
#include "headgate/limit/algorithm.hpp"
#include "headgate/limit/in_flight.hpp"

#include <algorithm>

namespace headgate::config {
namespace {

bool has_rule(const limit::Limit& limit, bool (*is)(const limit::Rule& rule)) {
  return std::any_of(limit.tiers.begin(), limit.tiers.end(),
                     [is](const limit::Tier& tier) { return std::any_of(tier.rules.begin(), tier.rules.end(), is); });
}

}  // namespace

void check_unit(Build& build, const Node& node, const limit::Limit& limit) {
  const Node* status = find(&node, "spent_status");
  if (status != nullptr && limit.spent_status != gateway::kSpentStatus &&
      limit.spent_status != gateway::kRejectedStatus)
    build.report.error(code::kRange, *status,
                       std::to_string(limit.spent_status) + " is not the status of a spent budget",
                       "write 429, or 402 (Payment Required)");
  const Node* written = find(&node, "unit");
  if (written == nullptr || limit.unit == limit::Unit::request) return;
  const std::string noun = limit.unit == limit::Unit::token ? "tokens" : "money";
  const auto others = [&](const std::string& why) {
    build.report.error_at_key(code::kConflict, *written, why, R"(remove "unit")");
  };
  if (limit.glitches || limit.messages)
    return others("this limit counts " + std::string(limit.glitches ? "glitches" : "messages") + ", not " + noun);
  if (has_rule(limit, [](const limit::Rule& rule) { return rule.algorithm == &limit::in_flight; }))
    return others("this limit counts requests in flight, not " + noun);
  if (limit.unit == limit::Unit::money &&
      has_rule(limit, [](const limit::Rule& rule) { return rule.algorithm->name == limit::kDefaultAlgorithm; }))
    build.report.warning_at_key(code::kNoEffect, *written,
                                "a budget of money that refills all the time has no day or month on which it is spent",
                                R"(write "algorithm": "fixed_window", and a rate per day or month)");
}

}  // namespace headgate::config
