#pragma once
// Quotas, as an operator is told of them: a rule whose periods have a beginning and an end, what of it a key has used,
// and which percentages it has reached. Pure functions; any thread.

#include "headgate/core/time.hpp"
#include "headgate/limit/calendar.hpp"
#include "headgate/limit/limit.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace headgate::limit {

/// How many percentages of a quota can be told.
inline constexpr std::size_t kMaxNotifyAt = 4;

/// What a key has used of a quota, by one decision.
struct QuotaUse {
  std::uint64_t used = 0;  ///< at most `size`: what is owed beyond it is not in a decision
  std::uint64_t size = 0;  ///< the one that applied
  bool rejected = false;   ///< the decision was a rejection: the cost did not fit into what is left
};

/// What `decision` says of its quota. Nothing if nobody is to be told because of it: it took nothing (`taken`), or the
/// cost is more than the whole size, which says nothing of what was used.
std::optional<QuotaUse> quota_use(const Decision& decision, bool taken) noexcept;

/// Which of `percents` are reached, one bit for each, the first in bit 0. A percentage is reached from the first permit
/// on with which at least so much of the size is used; 100 also by a rejection.
std::uint8_t reached(std::span<const unsigned> percents, const QuotaUse& use) noexcept;

/// The period of `rule` (a fixed window) that a decision counted in, asked for at `asked` by the clock of this gateway.
/// `reset_after` is that of the decision. It tells the end by the clock that decided, which may be another one: the
/// result is right if the two differ by less than half a period, or twelve hours with a calendar.
Calendar::Window period_of(const Rule& rule, Instant asked, Duration reset_after) noexcept;

}  // namespace headgate::limit
