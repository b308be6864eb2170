#pragma once
// Counts over time in bounded memory, however long the time is. Time is divided into parts of equal width, which become
// wider as time goes on. The worst minute is counted separately. Used by tally and figures.

#include "headgate/core/time.hpp"

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace headgate::simulate {

/// The division of time into parts. All series of a run share it, so that they can be drawn above each other. One
/// thread.
class Timeline {
 public:
  /// Maximum number of parts. When there would be more, the parts become wider: seconds, then minutes, hours, days.
  /// 1440 minutes are a day.
  static constexpr std::size_t kMaxParts = 1500;

  /// Returns the part that contains `at`; a time before the first part counts in the first part. May make all parts
  /// wider, and then changes width() and first().
  std::size_t part_of(Instant at) {
    if (at >= from_ && at < until_) return part_;
    return find(at);
  }
  /// Returns the current position of a part whose position was computed with this earlier width and first part.
  std::size_t moved(std::size_t part, Duration width, std::int64_t first) const noexcept;

  Duration width() const noexcept { return width_; }
  std::int64_t first() const noexcept { return first_; }  ///< number of the first part, counted from the epoch
  Instant begin() const noexcept { return Instant(width_ * first_); }
  std::size_t parts() const noexcept { return parts_; }  ///< number of parts so far

 private:
  std::size_t find(Instant at);

  Duration width_ = std::chrono::seconds(1);
  std::int64_t first_ = 0;
  std::size_t parts_ = 0;
  std::size_t part_ = 0;
  Instant from_{};  ///< start of the part that was returned last
  Instant until_{};
};

/// Counts on a timeline. One thread.
class Series {
 public:
  /// Counts one in `part`, which `timeline` has just returned.
  void add(const Timeline& timeline, std::size_t part, std::uint64_t more = 1) {
    if (width_ != timeline.width()) follow(timeline);
    if (part >= counts_.size()) counts_.resize(part + 1);
    counts_[part] += more;
  }
  /// Returns the counts in the current width and length of the timeline.
  std::vector<std::uint64_t> counts(const Timeline& timeline) const;

 private:
  void follow(const Timeline& timeline);

  std::vector<std::uint64_t> counts_;
  Duration width_{0};  ///< width of the timeline at the last change
  std::int64_t first_ = 0;
};

/// A minute of the clock, and how often an event happened in it.
struct Minute {
  Instant begin{};
  std::uint64_t count = 0;  ///< number of events; 0 if there is none
};

/// Finds the minute with most events, and counts the minutes with events. An event that is reported up to 15 minutes
/// late is counted in its own minute. An event that is reported later is counted in the newer minute that uses the same
/// place. One thread.
class Minutes {
 public:
  void add(Instant at) {
    const auto minute = std::chrono::floor<std::chrono::minutes>(at.time_since_epoch()).count();
    auto& place = places_[static_cast<std::size_t>(minute) % places_.size()];
    if (minute > place.minute) end(place, minute);
    ++place.count;
  }
  Minute worst() const noexcept;
  std::uint64_t minutes() const noexcept;

 private:
  struct Place {
    std::int64_t minute = std::numeric_limits<std::int64_t>::min();
    std::uint64_t count = 0;
  };
  void end(Place& place, std::int64_t next);

  std::array<Place, 16> places_;
  Place worst_;
  std::uint64_t ended_ = 0;  ///< number of minutes with events that have lost their place to a newer minute
};

}  // namespace headgate::simulate
