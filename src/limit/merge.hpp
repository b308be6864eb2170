#pragma once
// Merges the checks of one call that name the same counter into one check with the sum of their costs. Also implements
// the modes in How. Used by both stores.

#include "headgate/limit/algorithm.hpp"
#include "headgate/limit/limit.hpp"

#include <boost/container/static_vector.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>

namespace headgate::limit {

/// The merged checks in the order of first mention, and for each original check the index of its merged check.
struct Merged {
  boost::container::static_vector<Check, kMaxRulesPerRequest> checks;
  boost::container::static_vector<std::uint8_t, kMaxRulesPerRequest> merged_index;
};

inline std::int64_t add_capped(std::int64_t a, std::int64_t b) noexcept {
  constexpr std::int64_t kMax = std::int64_t{1} << 53;
  return std::clamp(a, -kMax, kMax) + std::clamp(b, -kMax, kMax);
}

/// Returns the stricter How of two checks on one counter: take, then observe, then charge, then debt.
inline How stricter(const Check& a, const Check& b) noexcept {
  if (a.cost <= 0 || b.cost <= 0) return a.cost > 0 ? a.how : b.how;
  return std::min(a.how, b.how);
}

/// Returns whether `a` allows less at once than `b`, or as much at once and less in its period. The rules of a counter
/// differ if its key has two sizes in one call, for example in two descriptors.
inline bool is_smaller(const Rule& a, const Rule& b) noexcept {
  return a.burst != b.burst ? a.burst < b.burst : a.rate.count < b.rate.count;
}

/// Merges at most kMaxRulesPerRequest checks. `same(a, b)` returns whether two checks name the same counter. The merged
/// check has the smallest rule and the strictest How, because a cost that may not be taken alone may not be taken
/// together with others.
template <class Same>
void merge(std::span<const Check> checks, Same same, Merged& out) {
  for (const Check& check : checks) {
    std::size_t at = 0;
    while (at < out.checks.size() && !same(out.checks[at], check)) ++at;
    if (at == out.checks.size()) {
      out.checks.push_back(check);
    } else {
      Check& merged = out.checks[at];
      if (merged.rule != check.rule && is_smaller(*check.rule, *merged.rule)) merged.rule = check.rule;
      merged.how = stricter(merged, check);
      merged.cost = add_capped(merged.cost, check.cost);
    }
    out.merged_index.push_back(static_cast<std::uint8_t>(at));
  }
}

/// Returns whether the call is rejected because this check is rejected.
inline bool rejects(const Check& check, bool allowed) noexcept { return !allowed && check.how == How::take; }

/// Returns whether the request of a check has already passed. Such a check never rejects, whatever its rule says.
inline bool already_through(const Check& check) noexcept { return check.how == How::charge || check.how == How::debt; }

/// Returns whether a check takes its cost even if it or its call is rejected.
inline bool counts_rejected(const Check& check) noexcept {
  return check.rule->count_rejected && check.cost > 0 && !already_through(check);
}

/// Returns how a check takes its cost. `through` says whether the call is allowed.
inline CommitMode takes(const Check& check, bool through, bool allowed) noexcept {
  if (!through || !(allowed || already_through(check)))
    return counts_rejected(check) ? CommitMode::attempt : CommitMode::none;
  return check.how == How::debt ? CommitMode::debt : CommitMode::take;
}

/// Makes the decision allowed and without a wait if the request has already passed.
inline void tell(const Check& check, Decision& decision) noexcept {
  if (!already_through(check)) return;
  decision.allowed = true;
  decision.retry_after = decision.delay = Duration(0);
}

}  // namespace headgate::limit
