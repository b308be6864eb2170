#pragma once
// One decision of an admission: what is asked together, and is granted together or not at all.

#include "headgate/gateway/exchange.hpp"

#include <chrono>
#include <cstdint>
#include <span>
#include <vector>

namespace headgate::gateway {

/// Of whom a round asks, and for what.
enum class Of : std::uint8_t {
  memory,   ///< limits that are counted in this process
  redis,    ///< limits that are counted in Redis
  share,    ///< this gateway's share of those, beside Redis while other gateways may still owe it
  fallback  ///< the same in its place, while it does not answer
};

/// When a round was asked. The clock that its waits are told by was read before it was, so that they end no later than
/// told.
struct Moment {
  Clock::Steady steady;
  Instant wall;
};

/// The asks and limits that were appended to an admission since. Lives as long as one call of the step `admit`.
class Round {
 public:
  Round(Admission& admission, Of whom) noexcept
      : of(whom), first_check(admission.checks.size()), first_limit(admission.limits.size()), a_(admission) {}

  Of of;
  const std::size_t first_check;
  const std::size_t first_limit;
  Moment asked;
  std::vector<limit::Check> share;  ///< taken of this gateway's share, and given back where Redis does not agree

  Source source() const noexcept {
    return of == Of::redis ? Source::redis : of == Of::memory ? Source::memory : Source::fallback;
  }
  bool empty() const noexcept { return a_.checks.size() == first_check; }
  /// It was not decided.
  void drop() {
    a_.checks.resize(first_check);
    a_.limits.resize(first_limit);
  }
  std::span<const limit::Check> checks() const noexcept {
    return {a_.checks.data() + first_check, a_.checks.size() - first_check};
  }
  std::span<limit::Decision> decisions() const noexcept {
    return {a_.decisions.data() + first_check, a_.checks.size() - first_check};
  }
  std::span<CheckedLimit> limits() const noexcept {
    return {a_.limits.data() + first_limit, a_.limits.size() - first_limit};
  }

 private:
  Admission& a_;
};

}  // namespace headgate::gateway
