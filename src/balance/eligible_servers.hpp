#pragma once
// The servers that a policy may choose from, with their shares of the requests. Only for policies.

#include "headgate/balance/policy.hpp"

#include <algorithm>

namespace headgate::balance {

/// The eligible servers for one choice from one table. Backup servers are eligible only if no other server that is in
/// is left. Servers that are out only by a guess (kGuessed) are eligible if no server is in at all.
class EligibleServers {
 public:
  EligibleServers(const Table& table, const PickArgs& ask) noexcept
      : table_(table),
        tried_(ask.choice && !ask.choice->tried.empty() ? &ask.choice->tried : nullptr),
        slow_start_(table.slow_start()),
        now_(ask.now) {
    bool any_in = false;
    if (find(0, any_in) || any_in) return;
    find(kGuessed, any_in);
  }

  /// The size of the table; server(at) is valid for each `at` below it.
  std::size_t size() const noexcept { return table_.size(); }
  const Server& server(std::size_t at) const noexcept { return table_[at]; }
  /// Returns whether the server may be chosen.
  bool has(std::size_t at) const noexcept {
    const auto& one = table_[at];
    return one.backup == backup_ && in(one) && !(tried_ && tried_->has(at));
  }
  /// Returns the server's share of the requests, relative to the others: at most kMaxWeight * kWholeShare.
  std::uint64_t share(std::size_t at) const noexcept { return std::uint64_t{table_[at].weight} * warmth(at); }
  /// Returns the fraction of its weight that the server has, in parts of kWholeShare.
  std::uint32_t warmth(std::size_t at) const noexcept {
    return slow_start_ == Duration(0) ? kWholeShare : balance::warmth(table_[at], slow_start_, now_);
  }
  std::uint32_t in_flight(std::size_t at) const noexcept {
    return table_[at].in_flight.load(std::memory_order_relaxed);
  }
  /// Returns whether `a` has fewer requests in flight for its share than `b`. Recent failures count as requests in
  /// flight; otherwise a server that fails at once would look idle and attract the next request.
  bool less_loaded(std::size_t a, std::size_t b) const noexcept { return load(a) * share(b) < load(b) * share(a); }

 private:
  bool in(const Server& server) const noexcept { return (server.out.load(std::memory_order_relaxed) & ~ignored_) == 0; }
  /// Returns the requests in flight plus recent failures, in units of 1/256.
  std::uint64_t load(std::size_t at) const noexcept {
    constexpr std::uint64_t kParts = 256;
    constexpr double kMaxFailures = 1e6;
    const auto failures = recent_failures(table_[at], now_);
    const auto counted = failures == 0 ? 0 : static_cast<std::uint64_t>(std::min(failures, kMaxFailures) * kParts);
    return in_flight(at) * kParts + counted;
  }
  /// Decides whether backup servers are needed. Returns whether any server may be chosen. Sets `any_in` if any server
  /// is in, even if it was tried already.
  bool find(std::uint8_t ignored, bool& any_in) noexcept {
    ignored_ = ignored;
    backup_ = false;
    bool backup_left = false;
    for (std::size_t at = 0; at < table_.size(); ++at) {
      const auto& server = table_[at];
      if (!in(server)) continue;
      any_in = true;
      if (tried_ && tried_->has(at)) continue;
      if (!server.backup) return true;
      backup_left = true;
    }
    backup_ = backup_left;
    return backup_left;
  }

  const Table& table_;
  const ServerSet* tried_;
  Duration slow_start_;
  std::int64_t now_;
  std::uint8_t ignored_ = 0;
  bool backup_ = false;
};

}  // namespace headgate::balance
