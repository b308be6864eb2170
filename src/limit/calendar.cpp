#include "headgate/limit/calendar.hpp"

#include <algorithm>
#include <utility>

namespace headgate::limit {
namespace {

using std::chrono::sys_days;

/// More than the offset of any time zone from UTC.
constexpr Duration kFarthest = std::chrono::hours(48);

std::chrono::year_month month_of(sys_days day) noexcept {
  const std::chrono::year_month_day date(day);
  return date.year() / date.month();
}

sys_days first_of(std::chrono::year_month month) noexcept { return month / 1; }

}  // namespace

Calendar::Calendar(Unit unit, std::string zone, std::vector<ZoneOffset> offsets)
    : unit_(unit), zone_(std::move(zone)), offsets_(std::move(offsets)) {
  if (offsets_.empty()) offsets_.push_back({Instant{}, Duration(0)});
}

Duration Calendar::offset_at(Instant moment) const noexcept {
  const auto after = std::ranges::upper_bound(offsets_, moment, {}, &ZoneOffset::from);
  return after == offsets_.begin() ? offsets_.front().offset : std::prev(after)->offset;
}

Instant Calendar::start_of(sys_days day) const noexcept {
  const Instant midnight = day;
  auto next = std::ranges::upper_bound(offsets_, midnight - kFarthest, {}, &ZoneOffset::from);
  if (next == offsets_.begin()) ++next;
  for (;; ++next) {
    const ZoneOffset& in_force = *std::prev(next);
    Instant start = midnight - in_force.offset;
    if (std::prev(next) != offsets_.begin()) start = std::max(start, in_force.from);  // the clock jumped over midnight
    if (next == offsets_.end() || start < next->from) return start;
  }
}

Calendar::Window Calendar::at(Instant moment) const noexcept {
  const auto today = std::chrono::floor<std::chrono::days>(moment + offset_at(moment));
  // One step is enough except in the hour after a clock was set back over midnight. In that hour, the date is again
  // that of the previous day, but the new day has already begun.
  if (unit_ == Unit::day) {
    Window window{start_of(today), start_of(today + std::chrono::days(1))};
    for (auto day = today + std::chrono::days(2); window.end <= moment; day += std::chrono::days(1))
      window = {window.end, start_of(day)};
    return window;
  }
  const auto month = month_of(today);
  Window window{start_of(first_of(month)), start_of(first_of(month + std::chrono::months(1)))};
  for (auto next = month + std::chrono::months(2); window.end <= moment; next += std::chrono::months(1))
    window = {window.end, start_of(first_of(next))};
  return window;
}

std::chrono::sys_days Calendar::date_of(Instant moment) const noexcept {
  auto date = std::chrono::floor<std::chrono::days>(moment + offset_at(moment));
  // handles the same case as in at()
  while (start_of(date + std::chrono::days(1)) <= moment) date += std::chrono::days(1);
  return date;
}

Calendar::Window Calendar::day(std::chrono::sys_days date) const noexcept {
  return {start_of(date), start_of(date + std::chrono::days(1))};
}

}  // namespace headgate::limit
