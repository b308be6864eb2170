#include "headgate/identity/expiry.hpp"

#include <array>
#include <chrono>
#include <cstdio>

namespace headgate::identity {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;

/// A reader of fixed-width fields, from the left. After the first invalid field, all_read() stays false.
class Fields {
 public:
  explicit Fields(std::string_view text) : rest_(text) {}

  int number(std::size_t digits) {
    int value = 0;
    for (std::size_t i = 0; i < digits; ++i) value = value * 10 + digit();
    return value;
  }
  bool mark(char c) {
    if (!rest_.starts_with(c)) return false;
    rest_.remove_prefix(1);
    return true;
  }
  void demand(bool holds) { good_ = good_ && holds; }
  bool at_digit() const { return !rest_.empty() && rest_.front() >= '0' && rest_.front() <= '9'; }
  bool all_read() const { return good_ && rest_.empty(); }
  bool ends() const { return rest_.empty(); }

 private:
  int digit() {
    demand(at_digit());
    if (!good_) return 0;
    const int value = rest_.front() - '0';
    rest_.remove_prefix(1);
    return value;
  }

  std::string_view rest_;
  bool good_ = true;
};

std::chrono::sys_days read_date(Fields& fields) {
  const int year = fields.number(4);
  fields.demand(fields.mark('-'));
  const int month = fields.number(2);
  fields.demand(fields.mark('-'));
  const int day = fields.number(2);
  const std::chrono::year_month_day date{std::chrono::year(year), std::chrono::month(static_cast<unsigned>(month)),
                                         std::chrono::day(static_cast<unsigned>(day))};
  fields.demand(date.ok());
  return date;
}

Duration read_hour_and_minute(Fields& fields) {
  const int hour = fields.number(2);
  fields.demand(fields.mark(':'));
  const int minute = fields.number(2);
  fields.demand(hour < 24 && minute < 60);
  return hours(hour) + minutes(minute);
}

Duration read_fraction(Fields& fields) {
  constexpr int kMaxDigits = 9;
  Duration value{0};
  Duration worth = seconds(1);
  int digits = 0;
  for (; fields.at_digit() && digits < kMaxDigits; ++digits) {
    worth /= 10;  // zero from the seventh digit on
    value += worth * fields.number(1);
  }
  fields.demand(digits > 0);
  return value;
}

Duration read_offset(Fields& fields) {
  if (fields.mark('Z')) return Duration{0};
  const bool east = fields.mark('+');
  fields.demand(east || fields.mark('-'));
  const Duration offset = read_hour_and_minute(fields);
  return east ? offset : -offset;
}

}  // namespace

Result<Instant, LiteralError> parse_expiry(std::string_view text) {
  Fields fields(text);
  Instant moment = read_date(fields);
  if (fields.ends()) {
    moment += std::chrono::days(1);
  } else {
    fields.demand(fields.mark('T'));
    moment += read_hour_and_minute(fields);
    fields.demand(fields.mark(':'));
    const int second = fields.number(2);
    fields.demand(second < 60);
    moment += seconds(second);
    if (fields.mark('.')) moment += read_fraction(fields);
    moment -= read_offset(fields);
  }
  if (fields.all_read()) return moment;
  return LiteralError{"this is neither a date nor a moment",
                      R"(write "2027-01-31" for that whole day in UTC, or "2027-01-31T12:00:00Z")"};
}

}  // namespace headgate::identity
