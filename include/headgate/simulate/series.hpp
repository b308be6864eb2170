#pragma once
// Counts over time in bounded memory, however long the time is: parts of one width, which grows; and the worst minute.

#include "headgate/core/time.hpp"

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace headgate::simulate {

/// Which part of time a moment is in. All series of a run share one, so that they can be drawn above each other. One
/// thread.
class Timeline {
 public:
  /// With more parts than this they become wider: seconds, then minutes, hours, days. 1440 minutes are a day.
  static constexpr std::size_t kMaxParts = 1500;

  /// The part of `at`; one before the first moment that was asked for counts as the first. May make all parts wider:
  /// `version` is then another one.
  std::size_t part_of(Instant at) {
    if (at >= from_ && at < until_) return part_;
    return find(at);
  }
  /// Where the part of a width and beginning before is now.
  std::size_t moved(std::size_t part, Duration width, std::int64_t first) const noexcept;

  Duration width() const noexcept { return width_; }
  std::int64_t first() const noexcept { return first_; }  ///< number of the first part since the epoch
  Instant begin() const noexcept { return Instant(width_ * first_); }
  std::size_t parts() const noexcept { return parts_; }  ///< that were asked for so far

 private:
  std::size_t find(Instant at);

  Duration width_ = std::chrono::seconds(1);
  std::int64_t first_ = 0;
  std::size_t parts_ = 0;
  std::size_t part_ = 0;
  Instant from_{};  ///< the part that was asked for last
  Instant until_{};
};

/// Counts on a timeline. One thread.
class Series {
 public:
  /// Counts one in `part`, which `timeline` has just told.
  void add(const Timeline& timeline, std::size_t part, std::uint64_t more = 1) {
    if (width_ != timeline.width()) follow(timeline);
    if (part >= counts_.size()) counts_.resize(part + 1);
    counts_[part] += more;
  }
  /// As wide and as long as the timeline is now.
  std::vector<std::uint64_t> counts(const Timeline& timeline) const;

 private:
  void follow(const Timeline& timeline);

  std::vector<std::uint64_t> counts_;
  Duration width_{0};  ///< of the timeline when this was written last
  std::int64_t first_ = 0;
};

/// A minute by the clock, and how often something happened in it.
struct Minute {
  Instant begin{};
  std::uint64_t count = 0;  ///< 0: there is none
};

/// Finds the minute in which something happens most often, and counts those in which it happens. What is told up to
/// 15 minutes late is counted in its own minute; what is told later, in the minute whose place it has. One thread.
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
  std::uint64_t ended_ = 0;  ///< minutes in which it happened, without those that have a place
};

}  // namespace headgate::simulate
