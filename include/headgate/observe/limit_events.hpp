#pragma once
// A table of metrics for events of a request at one limit, in addition to the decision. A row has the family of the
// metric, a condition that tells which limits have the metric, and a condition that tells which requests it counts.

#include "headgate/observe/families/limits.hpp"

#include <array>
#include <cstddef>
#include <cstdint>

namespace headgate::observe {

/// Returns whether less than a fifth of the limit remains.
constexpr bool is_near(std::uint64_t remaining, std::uint64_t limit) noexcept {
  return remaining < limit / 5 + (limit % 5 > 0 ? 1 : 0);
}

/// The result of a request at a limit that applies to it, or at the capacity of an upstream.
struct LimitSeen {
  enum class Decision : std::uint8_t {
    allowed,
    kept,      ///< allowed by an appointment
    rejected,  ///< rejected, or would have been by a limit in observe mode
    not_charged
  };
  /// decision of the limit; not_charged if another limit or a capacity rejected the request
  Decision decision = Decision::not_charged;
  std::uint64_t remaining = 0;   ///< remaining units of the scarcest rate, after an allowed request
  std::uint64_t limit = 0;       ///< size of the scarcest rate
  bool unreadable_cost = false;  ///< true if the cost in the answer was not a number
  bool other_shard = false;      ///< true if another shard was asked because the first shard rejected the request
};

/// The properties of a limit that decide which metrics it has.
struct LimitNature {
  bool in_shards = false;
};

struct LimitEvent {
  const Family& family;                         ///< a counter with the labels "limit", or "limit" and "tier"
  bool (*had_by)(const LimitNature&) noexcept;  ///< returns whether a limit of this nature has the metric
  /// returns whether to count the request; called once for each request and limit on the path, so it must not allocate
  bool (*happened)(const LimitSeen&) noexcept;
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
