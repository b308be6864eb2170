#include "identity_rounds.hpp"

#include <algorithm>
#include <cmath>
#include <ctime>

namespace headgate::bench {
namespace {

/// How many times take about half a millisecond: then reading the clock is no part of the figure.
std::size_t lot_of(const Contender& contender) {
  constexpr double kLong = 0.5e6;
  for (std::size_t times = 1;; times *= 2) {
    const double before = thread_cpu();
    contender(times);
    if (thread_cpu() - before >= kLong) return times;
  }
}

double turn(const Contender& contender, std::size_t lot, const Rounds& rounds) {
  const double wanted = std::chrono::duration<double, std::nano>(rounds.turn).count();
  const double before = thread_cpu();
  double used = 0;
  std::size_t times = 0;
  while (used < wanted) {
    contender(lot);
    times += lot;
    used = thread_cpu() - before;
  }
  return used / static_cast<double>(times);
}

double quantile(const Costs& sorted, double part) {
  const double place = part * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(std::floor(place));
  const auto above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (sorted[above] - sorted[below]) * (place - static_cast<double>(below));
}

}  // namespace

std::vector<Costs> measure(const std::vector<Contender>& contenders, const Rounds& rounds) {
  std::vector<std::size_t> lots;
  lots.reserve(contenders.size());
  for (const Contender& contender : contenders) lots.push_back(lot_of(contender));
  std::vector<Costs> costs(contenders.size());
  for (unsigned round = 0; round < rounds.count; ++round) {
    for (std::size_t step = 0; step < contenders.size(); ++step) {
      const std::size_t which = round % 2 == 0 ? step : contenders.size() - 1 - step;
      costs[which].push_back(turn(contenders[which], lots[which], rounds));
    }
  }
  return costs;
}

Spread spread(Costs values) {
  std::sort(values.begin(), values.end());
  return {.low = quantile(values, 0.25), .middle = quantile(values, 0.5), .high = quantile(values, 0.75)};
}

Spread share(const Costs& costs, const Costs& base) {
  Costs shares;
  shares.reserve(costs.size());
  for (std::size_t i = 0; i < costs.size(); ++i) shares.push_back(costs[i] / base[i]);
  return spread(std::move(shares));
}

double thread_cpu() noexcept {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) * 1e9 + static_cast<double>(time.tv_nsec);
}

}  // namespace headgate::bench
