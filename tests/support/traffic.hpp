#pragma once
// Makes traffic for simulations of limits, and measures the error of an estimate compared with the exact log. No real
// clock is used, so each run is the same.

#include "headgate/limit/algorithm.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <deque>
#include <map>
#include <random>
#include <utility>
#include <vector>

namespace headgate::test {

/// A request.
struct Arrival {
  Duration at;  ///< since the start
  std::uint32_t key;
};
using Traffic = std::vector<Arrival>;  // ordered by time

/// Returns independent requests of one key, `per_second` on average.
inline Traffic uniform_traffic(double per_second, Duration length, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::exponential_distribution<double> gap(per_second);
  Traffic traffic;
  for (double at = gap(random) * 1e6; at < static_cast<double>(length.count()); at += gap(random) * 1e6)
    traffic.push_back({Duration(static_cast<std::int64_t>(at)), 0});
  return traffic;
}

/// Returns bursts of one key. In each `every` there is one burst at a random time: `size` requests within `width`.
/// There is nothing between bursts.
inline Traffic bursty_traffic(std::uint32_t size, Duration width, Duration every, Duration length, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto up_to = [&](Duration most) { return Duration(static_cast<std::int64_t>(random() % (most.count() + 1))); };
  Traffic traffic;
  for (Duration start{0}; start + every <= length; start += every) {
    const Duration burst = start + up_to(every - width);
    for (std::uint32_t i = 0; i < size; ++i) traffic.push_back({burst + up_to(width), 0});
  }
  std::ranges::sort(traffic, {}, &Arrival::at);
  return traffic;
}

/// Returns requests of `keys` keys, `per_second` in total. The rate of the n-th most active key is proportional to
/// 1/n^exponent.
inline Traffic zipf_traffic(std::uint32_t keys, double exponent, double per_second, Duration length,
                            std::uint64_t seed) {
  std::vector<double> up_to(keys);
  double sum = 0;
  for (std::uint32_t n = 0; n < keys; ++n) up_to[n] = sum += 1 / std::pow(n + 1, exponent);
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> any(0, sum);
  Traffic traffic = uniform_traffic(per_second, length, seed + 1);
  for (Arrival& arrival : traffic)
    arrival.key = static_cast<std::uint32_t>(std::ranges::upper_bound(up_to, any(random)) - up_to.begin());
  return traffic;
}

/// Takes one request if the rule allows it, and returns whether it does.
inline bool admit(limit::State& state, const limit::Rule& rule, Instant now) {
  const limit::Outcome outcome = rule.algorithm->peek(state, rule, 1, now);
  const auto taken = outcome.allowed ? limit::CommitMode::take : limit::CommitMode::none;
  if (outcome.allowed || outcome.stale) rule.algorithm->commit(state, rule, 1, taken, now, outcome);
  return outcome.allowed;
}

/// Compares an estimate with the exact log. Both get all requests, and each decides on its own.
struct Comparison {
  std::uint64_t requests = 0;
  std::uint64_t admitted = 0;
  std::uint64_t exact = 0;  ///< requests that the log let through
  std::uint64_t most = 0;   ///< the most requests of one key that the estimate let through in any period
  std::uint64_t count = 0;  ///< the most requests that the limit allows
  double estimate_off = 0;  ///< sum over all requests of |estimated remaining - exact remaining| / count
  /// Returns the difference in the number of requests let through, as a share.
  double admitted_error() const {
    return std::abs(static_cast<double>(admitted) - static_cast<double>(exact)) / static_cast<double>(exact);
  }
  /// Returns the average error of the estimate, as a share of the count.
  double mean_error() const { return estimate_off / static_cast<double>(requests); }
  /// Returns by how much the worst period exceeds the limit, as a share of the count.
  double worst_excess() const {
    return most <= count ? 0 : static_cast<double>(most - count) / static_cast<double>(count);
  }
};

/// Compares two rules of the same rate; `log` uses sliding_log. The traffic begins at `start`.
inline Comparison compare(const limit::Rule& estimate, const limit::Rule& log, const Traffic& traffic, Instant start) {
  struct Key {
    limit::State estimated;
    limit::State logged;
    std::deque<Instant> passed;  // requests that the estimate let through in the last period
  };
  std::map<std::uint32_t, Key> keys;
  Comparison result;
  result.count = estimate.rate.count;
  for (const Arrival& arrival : traffic) {
    const Instant now = start + arrival.at;
    Key& key = keys[arrival.key];
    while (!key.passed.empty() && key.passed.front() + estimate.rate.period <= now) key.passed.pop_front();
    const auto outcome = estimate.algorithm->peek(key.estimated, estimate, 0, now);
    const auto said = estimate.algorithm->decision(estimate, 0, limit::CommitMode::none,
                                                   {outcome.words.data(), estimate.algorithm->words});
    const double really = static_cast<double>(result.count) - static_cast<double>(key.passed.size());
    result.estimate_off +=
        std::abs(static_cast<double>(said->remaining) - std::max(really, 0.0)) / static_cast<double>(result.count);
    ++result.requests;
    if (admit(key.estimated, estimate, now)) {
      ++result.admitted;
      key.passed.push_back(now);
      result.most = std::max<std::uint64_t>(result.most, key.passed.size());
    }
    if (admit(key.logged, log, now)) ++result.exact;
  }
  return result;
}

}  // namespace headgate::test
