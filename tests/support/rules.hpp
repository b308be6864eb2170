#pragma once
// Makes rules and checks for tests of the limiter, as a configuration and a gateway do.

#include "headgate/core/hash.hpp"
#include "headgate/limit/algorithm.hpp"

#include <stdexcept>
#include <string>
#include <string_view>

namespace headgate::test {

/// Makes the rule of `rate` ("100/minute"), with the algorithm's default burst if `burst` is 0. Throws if `rate` is
/// malformed.
inline limit::Rule make_rule(std::string_view rate, std::uint64_t burst = 0, std::string limit = "plan",
                             std::string_view algorithm = "token_bucket", Duration wait = Duration(0)) {
  limit::Rule rule;
  const auto parsed = parse_rate(rate);
  if (!parsed) throw std::invalid_argument(parsed.error().message);
  rule.rate = *parsed;
  rule.limit = std::move(limit);
  rule.wait = wait;
  rule.algorithm = limit::find_algorithm(algorithm);
  if (rule.algorithm == nullptr) throw std::invalid_argument("no algorithm of this name");
  rule.burst = burst != 0 ? burst : rule.algorithm->default_burst(rule);
  rule.suffix = ":" + rule.limit + ":";
  rule.seed = stable_hash(rule.suffix);
  return rule;
}

/// `key` must outlive the check.
inline limit::Check make_check(const limit::Rule& rule, std::string_view key, std::int64_t cost = 1,
                               limit::How how = limit::How::take) {
  return {.rule = &rule, .key = key, .hash = keyed_hash(key, rule.seed), .cost = cost, .how = how};
}

/// A time in November 2026, whose microseconds need all 51 bits.
inline constexpr Instant kStart{std::chrono::microseconds(1'795'238'424'123'456)};

}  // namespace headgate::test
