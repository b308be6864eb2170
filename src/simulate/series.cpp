#include "headgate/simulate/series.hpp"

#include <algorithm>
#include <utility>

namespace headgate::simulate {
namespace {

using std::chrono::days;
using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;

/// Each width is a multiple of the one before, so that no part must be cut when parts are merged.
constexpr Duration kWidths[] = {seconds(1), seconds(5), seconds(15), seconds(30), minutes(1), minutes(5), minutes(15),
                                hours(1),   hours(3),   hours(6),    hours(12),   days(1),    days(7),    days(28)};

Duration wider(Duration width) {
  const auto* const next = std::ranges::upper_bound(kWidths, width);
  return next == std::end(kWidths) ? width * 2 : *next;
}

/// Rounds down, also below zero.
std::int64_t floor_of(std::int64_t value, std::int64_t unit) noexcept {
  const auto out = value / unit;
  return value % unit < 0 ? out - 1 : out;
}

}  // namespace

std::size_t Timeline::moved(std::size_t part, Duration width, std::int64_t first) const noexcept {
  const auto now = floor_of((first + static_cast<std::int64_t>(part)) * width.count(), width_.count());
  return now <= first_ ? 0 : static_cast<std::size_t>(now - first_);
}

std::size_t Timeline::find(Instant at) {
  const auto microseconds = at.time_since_epoch().count();
  if (parts_ == 0) first_ = floor_of(microseconds, width_.count());
  auto number = std::max(floor_of(microseconds, width_.count()), first_);
  while (number - first_ >= static_cast<std::int64_t>(kMaxParts)) {
    const auto before = std::exchange(width_, wider(width_));
    const auto last = first_ + static_cast<std::int64_t>(parts_) - 1;
    first_ = floor_of(first_ * before.count(), width_.count());
    parts_ = static_cast<std::size_t>(floor_of(last * before.count(), width_.count()) - first_) + 1;
    number = floor_of(microseconds, width_.count());
  }
  part_ = static_cast<std::size_t>(number - first_);
  parts_ = std::max(parts_, part_ + 1);
  from_ = Instant(width_ * number);
  until_ = from_ + width_;
  return part_;
}

void Series::follow(const Timeline& timeline) {
  if (width_ != Duration(0)) {
    std::vector<std::uint64_t> wide(counts_.empty() ? 0 : timeline.moved(counts_.size() - 1, width_, first_) + 1);
    for (std::size_t i = 0; i < counts_.size(); ++i) wide[timeline.moved(i, width_, first_)] += counts_[i];
    counts_ = std::move(wide);
  }
  width_ = timeline.width();
  first_ = timeline.first();
}

std::vector<std::uint64_t> Series::counts(const Timeline& timeline) const {
  auto out = *this;
  if (out.width_ != timeline.width()) out.follow(timeline);
  out.counts_.resize(timeline.parts());
  return std::move(out.counts_);
}

void Minutes::end(Place& place, std::int64_t next) {
  if (place.count > 0) ++ended_;
  if (place.count > worst_.count) worst_ = place;
  place = {next, 0};
}

Minute Minutes::worst() const noexcept {
  auto worst = worst_;
  for (const auto& place : places_)
    if (place.count > worst.count || (place.count == worst.count && place.minute < worst.minute && place.count > 0))
      worst = place;
  if (worst.count == 0) return {};
  return {Instant(std::chrono::minutes(worst.minute)), worst.count};
}

std::uint64_t Minutes::minutes() const noexcept {
  return ended_ +
         static_cast<std::uint64_t>(std::ranges::count_if(places_, [](const auto& each) { return each.count > 0; }));
}

}  // namespace headgate::simulate
