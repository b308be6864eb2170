#pragma once
// One round of an admission: checks that are decided together. Either all of them take permits, or none does.

#include "headgate/gateway/exchange.hpp"

#include <chrono>
#include <cstdint>
#include <span>

namespace headgate::gateway {

/// The kind of a round: the limits that it checks, and the store in which it checks them.
enum class RoundKind : std::uint8_t {
  memory,   ///< limits counted in this process
  redis,    ///< limits counted in Redis
  share,    ///< this gateway's share of limits in Redis, checked in addition to Redis after an outage
  fallback  ///< this gateway's share, checked instead of Redis while it does not answer
};

/// The part of its stage's limits that a round checks. The limits with RouteLimit::of_guesses are checked in a step of
/// their own.
enum class RoundPart : std::uint8_t { all, guesses, but_guesses };
constexpr bool is_in(RoundPart part, const RouteLimit& limit) noexcept {
  return part == RoundPart::all || (part == RoundPart::guesses) == limit.of_guesses;
}

/// The start of a round. The wall clock is read before the decision, so that the announced wait is never shorter than
/// the real one.
struct RoundTime {
  Clock::Steady steady;
  Instant wall;
};

/// Checks that are decided together, with room for the decisions of their store.
struct Batch {
  std::span<limit::Check> checks;
  std::span<const limit::Decision> decisions;
  Source source;
  std::span<const CheckedLimit> limits{};  ///< the limits of these checks; empty for a place at the upstream
};

/// Returns the check that gives back the permits that `taken` took, for limit::RemoteLimiter::settle().
inline limit::Check given_back(limit::Check taken) noexcept {
  taken.cost = -taken.cost;
  taken.how = limit::How::take;
  return taken;
}

/// The checks and limits that were appended to an admission since this object was constructed. Lives as long as one
/// step of limits.
class Round {
 public:
  Round(Admission& admission, RoundKind of, Stage at, RoundPart which = RoundPart::all) noexcept
      : kind(of),
        stage(at),
        part(which),
        first_check(admission.checks.size()),
        first_limit(admission.limits.size()),
        first_unchecked(admission.unchecked.size()),
        a_(admission) {}

  RoundKind kind;
  const Stage stage;
  const RoundPart part;
  const std::size_t first_check;
  const std::size_t first_limit;
  const std::size_t first_unchecked;
  RoundTime asked;

  Source source() const noexcept {
    return kind == RoundKind::redis ? Source::redis : kind == RoundKind::memory ? Source::memory : Source::fallback;
  }
  bool empty() const noexcept { return a_.checks.size() == first_check; }
  /// Removes the round's checks and limits, which were not decided.
  void drop() {
    a_.checks.resize(first_check);
    a_.limits.resize(first_limit);
    a_.unchecked.resize(first_unchecked);
  }
  std::span<const limit::Check> checks() const noexcept {
    return {a_.checks.data() + first_check, a_.checks.size() - first_check};
  }
  std::span<limit::Decision> decisions() const noexcept {
    return {a_.decisions.data() + first_check, a_.checks.size() - first_check};
  }
  Batch batch() const noexcept {
    return {.checks = {a_.checks.data() + first_check, a_.checks.size() - first_check},
            .decisions = decisions(),
            .source = source(),
            .limits = limits()};
  }
  std::span<CheckedLimit> limits() const noexcept {
    return {a_.limits.data() + first_limit, a_.limits.size() - first_limit};
  }

 private:
  Admission& a_;
};

}  // namespace headgate::gateway
