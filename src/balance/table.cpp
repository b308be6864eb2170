#include "headgate/balance/table.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>

namespace headgate::balance {
namespace {

constexpr Duration kLongest = std::chrono::hours(1);  // longer latencies count as this, so that sums stay small

std::int64_t half_lives(const Server& server, std::int64_t now) noexcept {
  return std::max<std::int64_t>(now - server.measured, 0) / std::chrono::nanoseconds(kLatencyHalfLife).count();
}

}  // namespace

void Table::note_shares() noexcept {
  alike_ = !servers_.empty() && slow_start_ == Duration(0) &&
           std::all_of(servers_.begin(), servers_.end(), [this](const ServerPtr& each) {
             return !each->backup && each->weight == servers_.front()->weight;
           });
}

Duration aged_latency(const Server& server, std::int64_t now) noexcept {
  return Duration(server.latency.count() >> std::min<std::int64_t>(half_lives(server, now), 62));
}

void note_latency(Server& server, Duration took, std::int64_t now) noexcept {
  constexpr int kOf = 8;
  const auto before = std::min(server.latency, kLongest);
  took = std::clamp(took, Duration(1), kLongest);
  const bool fresh = before == Duration(0) || (server.measured != 0 && half_lives(server, now) > 0);
  server.latency = fresh ? took : std::max(before + (took - before) / kOf, Duration(1));
  server.measured = now;
}

double recent_failures(const Server& server, std::int64_t now) noexcept {
  constexpr double kHalfLife = 1e9;
  if (server.failures == 0 || now == 0) return 0;
  return server.failures * std::exp2(-static_cast<double>(std::max<std::int64_t>(now - server.failed, 0)) / kHalfLife);
}

void note_failure(Table& table, std::size_t at, Duration took, std::int64_t now) noexcept {
  table[at].failures = recent_failures(table[at], now) + 1;
  table[at].failed = now;
  Duration slowest{0};
  for (std::size_t i = 0; i < table.size(); ++i) slowest = std::max(slowest, table[i].latency);
  note_latency(table[at], std::max(took, 2 * std::min(slowest, kLongest)), now);
}

std::uint32_t warmth(const Server& server, Duration slow_start, std::int64_t now) noexcept {
  if (slow_start <= Duration(0)) return kWholeShare;
  const auto since = server.since.load(std::memory_order_relaxed);
  if (since == 0) return kWholeShare;
  const auto whole = std::chrono::nanoseconds(slow_start).count();
  const auto passed = std::max<std::int64_t>(now - since, 0);
  if (passed >= whole) return kWholeShare;
  constexpr std::uint32_t kFirst = kWholeShare / 10;
  const auto grown = static_cast<double>(passed) / static_cast<double>(whole) * (kWholeShare - kFirst);
  return kFirst + static_cast<std::uint32_t>(grown);
}

}  // namespace headgate::balance
