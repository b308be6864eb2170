#pragma once
// Estimates how long a number has to wait, and when its holder should ask again. Pure: the time is an argument.

#include "headgate/room/room.hpp"

#include <cstdint>
#include <optional>

namespace headgate::room {

/// The knowledge of one worker about a room: its last known position, and the pace of the queue. Worker thread only.
class Knowledge {
 public:
  void heard(const Answer& answer, Instant now) noexcept;
  bool known() const noexcept { return heard_at_ != Instant(); }
  std::int64_t next() const noexcept { return next_; }
  std::int64_t serving() const noexcept { return serving_; }
  std::int64_t taken() const noexcept { return taken_; }
  /// Returns whether `number` will certainly not be called within the next seconds, so that the room need not be asked.
  bool is_far(const RoomRule& rule, std::int64_t number, Instant now) const noexcept;
  /// Estimates the wait of `number`; 0 if it has been called. If only the number of visitors is bounded and nobody has
  /// been called yet, assumes that each place becomes free once per `stay`. Empty if the room is unknown.
  std::optional<Duration> wait(const RoomRule& rule, std::int64_t number) const noexcept;

 private:
  Instant heard_at_{};
  std::int64_t next_ = 0;
  std::int64_t serving_ = 0;
  std::int64_t taken_ = 0;
  Instant measured_at_{};      ///< Start of the current measurement of the pace.
  std::int64_t measured_ = 0;  ///< The value of `serving` at that time.
  double pace_ = 0;            ///< Smoothed calls per second; 0 if unknown.
};

/// Returns the time after which a page asks again: a fifth of the wait, from 2 to 20 seconds and at most a third of the
/// grace period. The time is shortened by up to a fifth, depending on `id`, so that callers do not all ask at once.
Duration refresh_after(const RoomRule& rule, std::optional<Duration> wait, std::uint64_t id) noexcept;
/// Returns the time after which a program asks again: the wait, at least a second and at most half of the grace period,
/// because the queue may become faster.
Duration retry_after(const RoomRule& rule, std::optional<Duration> wait) noexcept;

/// Returns the longest refresh_after() of a room with this grace period.
Duration longest_refresh(Duration grace) noexcept;

}  // namespace headgate::room
