#pragma once
// How long a number has to wait, and when its holder asks again. Pure: the time is an argument.

#include "headgate/room/room.hpp"

#include <cstdint>
#include <optional>

namespace headgate::room {

/// What one worker knows of a room: how far the line was when it last heard of it, and how fast it moves. Worker thread
/// only.
class Knowledge {
 public:
  void heard(const Answer& answer, Instant now) noexcept;
  bool known() const noexcept { return heard_at_ != Instant(); }
  std::int64_t next() const noexcept { return next_; }
  std::int64_t serving() const noexcept { return serving_; }
  std::int64_t taken() const noexcept { return taken_; }
  /// Whether `number` is certainly not called within the next seconds, so that nobody has to be asked.
  bool is_far(const RoomRule& rule, std::int64_t number, Instant now) const noexcept;
  /// How long `number` has to wait; 0 if it is called. Where only visitors are bounded and nobody was called yet, as if
  /// each place became free once in the rule's `stay`. Nothing if the room is not known.
  std::optional<Duration> wait(const RoomRule& rule, std::int64_t number) const noexcept;

 private:
  Instant heard_at_{};
  std::int64_t next_ = 0;
  std::int64_t serving_ = 0;
  std::int64_t taken_ = 0;
  Instant measured_at_{};      ///< since when the pace is measured
  std::int64_t measured_ = 0;  ///< `serving` then
  double pace_ = 0;            ///< calls a second, smoothed; 0: not known
};

/// When a page asks again: a fifth of the wait, from 2 to 20 seconds and at most a third of the grace. `id` spreads the
/// callers by a fifth.
Duration refresh_after(const RoomRule& rule, std::optional<Duration> wait, std::uint64_t id) noexcept;
/// When a program asks again: after the wait, at least a second and at most half of the grace, because the line may
/// become faster.
Duration retry_after(const RoomRule& rule, std::optional<Duration> wait) noexcept;

/// The longest refresh_after() of any room with this grace.
Duration longest_refresh(Duration grace) noexcept;

}  // namespace headgate::room
