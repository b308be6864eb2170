#pragma once
// The queue of one waiting room: its state, and the step from one state to the next. Pure: the time is an argument.
// lua/waiting_room.lua is the same step for Redis; tests compare the two.

#include "headgate/room/owners.hpp"
#include "headgate/room/room.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace headgate::room {

inline constexpr std::size_t kMarks = 8;  ///< Number of time slices for which the position of the queue is remembered.
inline constexpr std::size_t kEnds = 16;  ///< Number of time slices in which visitors' places end.
inline constexpr std::int64_t kPlaces = 16384;

/// The time slices and the capacity of a rule. They are derived from the rule, and the script gets them as arguments.
struct Slices {
  std::int64_t grace = 1;   ///< Microseconds per slice of the grace period.
  std::int64_t stay = 1;    ///< Microseconds per slice in which places end.
  std::int64_t called = 1;  ///< Number of `stay` slices for which a called number counts as inside.
  std::int64_t seen = 1;    ///< Number of `stay` slices for which a visitor counts as inside after a request.
  std::int64_t most = 0;    ///< Number of taken places at which the room is full; 0 if it is never full.
};
Slices slices_of(const RoomRule& rule) noexcept;

/// Estimates how many visitors take `taken` places (linear counting).
std::uint64_t inside_of(std::int64_t taken) noexcept;

/// The state of a room. A default-constructed state is a room that nobody has visited.
struct LineState {
  std::int64_t next = 0;
  std::int64_t serving = 0;
  std::int64_t at = 0;  ///< Time of the latest step in microseconds since the epoch; 0 before the first step.
  /// The part of the next admission that has accrued: a numerator, whose denominator is the rule's period.
  std::int64_t part = 0;
  std::int64_t credit = 0;  ///< Number of admissions that nobody has used yet.
  std::int64_t mark = 0;    ///< Number of the current slice of `marks`.
  /// The value of `serving` at the beginning of slice `mark` and of the previous slices.
  std::array<std::int64_t, kMarks> marks{};
  std::int64_t width = 0;                  ///< Microseconds per slice of `ends`; 0 if visitors were not counted.
  std::int64_t slice = 0;                  ///< Number of the current slice of `ends`.
  std::array<std::int64_t, kEnds> ends{};  ///< Number of places whose last slice is n, at index n modulo kEnds.
  /// For each place the slice in which it ends, modulo 65535, plus one; 0 if it was never taken. Empty if visitors are
  /// not counted.
  std::vector<std::uint16_t> places;
  Owners owners;  ///< The numbers of each owner, for a rule with `at_most`.
};

/// Advances the queue to `now`, and answers. The work is bounded: one step takes at most kMaxCalls places, and later
/// steps call the remaining numbers.
Answer step(LineState& state, const RoomRule& rule, const Question& question, Instant now);

inline constexpr std::int64_t kMaxCalls = 1000;

/// Returns the place that a number is hashed to.
std::int64_t place_of(std::int64_t number) noexcept;

}  // namespace headgate::room
