#include "calendars.hpp"

#include "config/text/codes.hpp"
#include "config/values.hpp"
#include "time_zone.hpp"

#include "headgate/core/text.hpp"
#include "headgate/limit/algorithm.hpp"

#include <string>
#include <vector>

namespace headgate::config {

using limit::Calendar;

namespace {

/// Returns the names of the algorithms that can count by calendars, as they are written in a file.
std::vector<std::string> names_by_calendar() {
  std::vector<std::string> names;
  for (const auto* each : limit::algorithms())
    if (each->by_calendar) names.push_back(in_quotes(each->name));
  return names;
}

std::string any_by_calendar() { return joined(names_by_calendar(), " or "); }

}  // namespace

Calendars::Calendars(Build& build, const Node& limit)
    : report_(build.report), zone_(config::find(&limit, "time_zone")), by_calendar_(false) {
  const Node* written = text_at(&limit, "algorithm");
  const auto* algorithm = written == nullptr ? nullptr : limit::find_algorithm(written->text);
  by_calendar_ = algorithm != nullptr && algorithm->by_calendar;
  if (zone_ == nullptr || by_calendar_) return;
  used_ = true;
  report_.error_at_key(code::kConflict, *zone_,
                       "\"time_zone\" is for the algorithm " + any_by_calendar() + ", which counts by days and months",
                       R"(add "algorithm": )" + names_by_calendar().front() + ", or remove it");
}

bool Calendars::find(const Node& node, const Rate& rate, std::shared_ptr<const Calendar>& out) {
  if (rate.month && !by_calendar_) {
    report_.error(code::kConflict, node, "only the algorithm " + any_by_calendar() + " counts by calendar months",
                  R"(add "algorithm": )" + names_by_calendar().front() + R"(, or write ")" +
                      std::to_string(rate.count) + "/30d\"");
    return false;
  }
  const bool day = rate.period == std::chrono::hours(24) && !rate.month;
  // A month has no fixed length, so it always needs a time zone, at least UTC. A day is 24 hours unless the limit has a
  // zone.
  if (!rate.month && (zone_ == nullptr || !day || !by_calendar_)) return true;
  used_ = true;
  auto& made = rate.month ? months_ : days_;
  if (!made && !make(rate.month ? Calendar::Unit::month : Calendar::Unit::day, made)) return false;
  out = made;
  return true;
}

bool Calendars::make(Calendar::Unit unit, std::shared_ptr<const Calendar>& out) {
  if (broken_) return false;
  if (zone_ != nullptr && zone_->kind != Kind::string) return false;
  auto calendar = make_calendar(unit, zone_ == nullptr ? std::string("UTC") : zone_->text);
  if (calendar.has_error()) {
    broken_ = true;
    if (zone_ == nullptr) return false;  // without a zone, UTC is used, for which this cannot fail
    if (zone_->replaced) {
      report_.error(code::kLiteral, *zone_,
                    "the value of " + in_quotes(zone_->written) + " is not a time zone that can be used",
                    "the value is not shown here, because it may be secret");
    } else {
      report_.error(code::kLiteral, *zone_, calendar.error().message, calendar.error().help);
    }
    return false;
  }
  out = std::move(*calendar);
  return true;
}

void Calendars::check_used() {
  if (zone_ == nullptr || used_) return;
  report_.error_at_key(code::kConflict, *zone_, "\"time_zone\" has no effect without a rate of a day or a month",
                       R"(write a rate as "1000/day" or "20000/month", or remove it)");
}

}  // namespace headgate::config
