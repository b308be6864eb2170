#pragma once
// The line of one room: its state, and the step from one state to the next. Pure: the time is an argument.
// lua/waiting_room.lua is the same step for Redis; tests compare both.

#include "headgate/room/owners.hpp"
#include "headgate/room/room.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace headgate::room {

inline constexpr std::size_t kMarks = 8;  ///< slices of time for which it is known how far the line was
inline constexpr std::size_t kEnds = 16;  ///< slices of time in which visitors' places end
inline constexpr std::int64_t kPlaces = 16384;

/// How a rule's times are cut into slices, and what fits. Derived from the rule; the script gets them as arguments.
struct Slices {
  std::int64_t grace = 1;   ///< microseconds of one slice of the grace
  std::int64_t stay = 1;    ///< microseconds of one slice in which places end
  std::int64_t called = 1;  ///< for how many of those a called number is inside
  std::int64_t seen = 1;    ///< for how many of those a visitor is inside who was seen
  std::int64_t most = 0;    ///< places taken when the room is full; 0: never full
};
Slices slices_of(const RoomRule& rule) noexcept;

/// How many visitors take about `taken` places (linear counting).
std::uint64_t inside_of(std::int64_t taken) noexcept;

/// What a room remembers. A default-constructed state is a room where nobody has been.
struct LineState {
  std::int64_t next = 0;
  std::int64_t serving = 0;
  std::int64_t at = 0;      ///< microseconds since the epoch, of the latest step; 0: no step yet
  std::int64_t part = 0;    ///< of the next admission: a fraction whose denominator is the rule's period
  std::int64_t credit = 0;  ///< admissions that nobody has used yet
  std::int64_t mark = 0;    ///< number of the slice of `marks`
  std::array<std::int64_t, kMarks> marks{};  ///< `serving` at the beginning of this slice and of those before
  std::int64_t width = 0;                    ///< microseconds of one slice of `ends`; 0: visitors were not counted
  std::int64_t slice = 0;                    ///< number of the current one
  std::array<std::int64_t, kEnds> ends{};    ///< places whose last slice is n, at index n modulo kEnds
  /// For each place the slice in which it ends, modulo 65535, plus one; 0: never taken. Empty if visitors are not
  /// counted.
  std::vector<std::uint16_t> places;
  Owners owners;  ///< the numbers of each owner, of a rule with `at_most`
};

/// Moves the line to `now`, and answers. The work is bounded: at most kMaxCalls places are taken in one step, the rest
/// is called by the next one.
Answer step(LineState& state, const RoomRule& rule, const Question& question, Instant now);

inline constexpr std::int64_t kMaxCalls = 1000;

/// The place that a number falls on.
std::int64_t place_of(std::int64_t number) noexcept;

}  // namespace headgate::room
