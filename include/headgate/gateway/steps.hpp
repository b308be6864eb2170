#pragma once
// The names of the steps of the path. src/gateway/steps/table.cpp has a row for each, with the reason for its place.

#include <bit>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>

namespace headgate::gateway {

/// The steps in the order in which a request takes them.
enum class Step : std::uint8_t {
  find_route,
  grpc_web,
  compress,
  check_body,
  identify,
  addresses,
  redirect,
  preflight,
  usage,
  split,
  offences,
  bans,
  suspended,
  bill,
  in_flight,
  appointments,
  limits,
  limits_of_guesses,
  room,
  authenticate,
  check_password,
  ask_auth,
  split_by_claim,
  bans_by_claim,
  suspended_by_claim,
  circuit,
  shed,
  read_body,
  limits_by_claim,
  limits_in_redis,
  delay,
  hold_body,
  capacity,
  queue,
  place,
  server_queue,
  circuit_trial,
  notices,
  settle,
  serve
};
inline constexpr std::size_t kSteps = static_cast<std::size_t>(Step::serve) + 1;

/// A set of steps.
class StepSet {
 public:
  constexpr StepSet() = default;
  constexpr StepSet(std::initializer_list<Step> steps) {
    for (const auto step : steps) bits_ |= bit(step);
  }

  static constexpr StepSet all() noexcept { return StepSet(~std::uint64_t{0}); }
  constexpr bool has(Step step) const noexcept { return (bits_ & bit(step)) != 0; }
  constexpr bool empty() const noexcept { return bits_ == 0; }
  constexpr void add(Step step) noexcept { bits_ |= bit(step); }
  constexpr StepSet operator&(StepSet other) const noexcept { return StepSet(bits_ & other.bits_); }
  constexpr StepSet operator|(StepSet other) const noexcept { return StepSet(bits_ | other.bits_); }
  constexpr StepSet without(StepSet other) const noexcept { return StepSet(bits_ & ~other.bits_); }
  /// Returns the first or the last step. The set must not be empty.
  constexpr Step first() const noexcept { return static_cast<Step>(std::countr_zero(bits_)); }
  constexpr Step last() const noexcept { return static_cast<Step>(63 - std::countl_zero(bits_)); }
  /// Returns the steps after `step`.
  constexpr StepSet behind(Step step) const noexcept { return StepSet(bits_ & ~((bit(step) << 1U) - 1)); }

 private:
  constexpr explicit StepSet(std::uint64_t bits) noexcept : bits_(bits) {}
  static constexpr std::uint64_t bit(Step step) noexcept { return std::uint64_t{1} << static_cast<unsigned>(step); }

  std::uint64_t bits_ = 0;
};
static_assert(kSteps < 64);

/// Returns all steps in their order, as a table in Markdown.
std::string steps_in_words();

}  // namespace headgate::gateway
