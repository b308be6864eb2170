#pragma once
// Quotas for notices: rules whose periods have a beginning and an end, the part that a key has used, and the
// percentages that it has reached. Pure functions; any thread. Used by gateway and config.

#include "headgate/core/time.hpp"
#include "headgate/limit/calendar.hpp"
#include "headgate/limit/limit.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace headgate::limit {

/// Maximum number of percentages of a quota.
inline constexpr std::size_t kMaxNotifyAt = 4;

/// The use of a quota by a key, according to one decision.
struct QuotaUse {
  std::uint64_t used = 0;  ///< use of the key, at most `size`, because a decision does not contain the debt beyond it
  std::uint64_t size = 0;  ///< size of the quota that applied
  bool rejected = false;   ///< true if the decision was a rejection, because the cost did not fit into the rest
};

/// Returns the use according to `decision`. Empty if the decision can cause no notice: it took nothing (`taken` is
/// false), or the cost is larger than the whole quota, which says nothing about the use.
std::optional<QuotaUse> quota_use(const Decision& decision, bool taken) noexcept;

/// Returns which of `percents` are reached, one bit for each, the first in bit 0. A percentage is reached when at least
/// that share of the size is used. A rejection also reaches 100.
std::uint8_t reached(std::span<const unsigned> percents, const QuotaUse& use) noexcept;

/// Returns the period of `rule` (a fixed window) in which a decision counted. `asked` is when this gateway asked for
/// the decision, by its own clock. The end of the period is computed from the decision's `reset_after`, which the clock
/// of Redis may have determined. The result is right if the two clocks differ by less than half a period, or by less
/// than twelve hours with a calendar.
Calendar::Window period_of(const Rule& rule, Instant asked, Duration reset_after) noexcept;

}  // namespace headgate::limit
