#pragma once
// What may happen between a request and one limit, beside its decision: a table of metrics. A row is its family,
// which limits have it, and when it is counted.

#include "headgate/observe/families/limits.hpp"

#include <array>
#include <cstddef>
#include <cstdint>

namespace headgate::observe {

/// Whether less than a fifth of the limit is left.
constexpr bool is_near(std::uint64_t remaining, std::uint64_t limit) noexcept {
  return remaining < limit / 5 + (limit % 5 > 0 ? 1 : 0);
}

/// What a request was to a limit that it applies to, or to the capacity of an upstream.
struct LimitSeen {
  enum class Decision : std::uint8_t {
    allowed,
    kept,      ///< by its appointment
    rejected,  ///< or would have been, by a limit that only observes
    not_charged
  };
  Decision decision = Decision::not_charged;  ///< not charged: another limit or a capacity rejected the request
  std::uint64_t remaining = 0;                ///< of what was allowed, in units; of its scarcest rate
  std::uint64_t limit = 0;                    ///< the size of that rate
  bool unreadable_cost = false;               ///< the answer's cost was not a number
  bool other_shard = false;                   ///< another shard was asked, as the first one rejected
};

/// What a limit is like, as far as its metrics depend on it.
struct LimitNature {
  bool in_shards = false;
};

struct LimitEvent {
  const Family& family;                         ///< a counter; its labels are "limit", or "limit" and "tier"
  bool (*had_by)(const LimitNature&) noexcept;  ///< whether such a limit has this metric
  bool (*happened)(const LimitSeen&) noexcept;  ///< once for each request and limit, on the path: no allocation
};

inline constexpr std::array kLimitEvents{
    LimitEvent{.family = family::limit_near,
               .had_by = [](const LimitNature&) noexcept { return true; },
               .happened =
                   [](const LimitSeen& seen) noexcept {
                     return seen.decision == LimitSeen::Decision::allowed && is_near(seen.remaining, seen.limit);
                   }},
    LimitEvent{.family = family::limit_unreadable_costs,
               .had_by = [](const LimitNature&) noexcept { return true; },
               .happened = [](const LimitSeen& seen) noexcept { return seen.unreadable_cost; }},
    LimitEvent{.family = family::limit_other_shards,
               .had_by = [](const LimitNature& limit) noexcept { return limit.in_shards; },
               .happened = [](const LimitSeen& seen) noexcept { return seen.other_shard; }},
};

}  // namespace headgate::observe
