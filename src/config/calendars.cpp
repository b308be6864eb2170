#include "calendars.hpp"

#include "codes.hpp"
#include "time_zone.hpp"
#include "values.hpp"

namespace headgate::config {

using limit::Calendar;

Calendars::Calendars(Build& build, const Node& limit)
    : report_(build.report), zone_(config::find(&limit, "time_zone")), fixed_window_(false) {
  const Node* algorithm = text_at(&limit, "algorithm");
  fixed_window_ = algorithm != nullptr && algorithm->text == "fixed_window";
  if (zone_ == nullptr || fixed_window_) return;
  used_ = true;
  report_.error_at_key(code::kConflict, *zone_,
                       "\"time_zone\" is for the algorithm \"fixed_window\", which counts by days and months",
                       R"(add "algorithm": "fixed_window", or remove it)");
}

bool Calendars::find(const Node& node, const Rate& rate, std::shared_ptr<const Calendar>& out) {
  if (rate.month && !fixed_window_) {
    report_.error(code::kConflict, node, "only the algorithm \"fixed_window\" counts by calendar months",
                  R"(add "algorithm": "fixed_window", or write ")" + std::to_string(rate.count) + "/30d\"");
    return false;
  }
  const bool day = rate.period == std::chrono::hours(24) && !rate.month;
  // A month has no length of its own, so it needs a zone, if only UTC; a day of 24 hours does not.
  if (!rate.month && (zone_ == nullptr || !day || !fixed_window_)) return true;
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
    if (zone_ == nullptr) return false;  // UTC, which cannot fail
    if (zone_->replaced) {
      report_.error(code::kLiteral, *zone_,
                    "what " + in_quotes(zone_->written) + " stands for is not a time zone that can be used",
                    "its value is not shown here, as it may be secret");
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
  report_.error_at_key(code::kConflict, *zone_, "\"time_zone\" says nothing without a rate of a day or a month",
                       R"(write a rate as "1000/day" or "20000/month", or remove it)");
}

}  // namespace headgate::config
