#include "headgate/http/date.hpp"

#include "headgate/core/text.hpp"
#include "headgate/core/whole_number.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <ctime>

namespace headgate::http {
namespace {

constexpr std::array<std::string_view, 12> kHttpMonths = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                          "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
constexpr std::array<std::string_view, 7> kHttpDays = {"Sunday",   "Monday", "Tuesday", "Wednesday",
                                                       "Thursday", "Friday", "Saturday"};

/// Parses digits only.
std::optional<int> number_in(std::string_view text) noexcept {
  return text.starts_with('-') ? std::nullopt : whole_number<int>(text);
}

/// Returns the time of `day`, `month` and `year` as written, and `time` as "08:49:37".
std::optional<Instant> moment_of(std::string_view day, std::string_view month, std::optional<int> year,
                                 std::string_view time) noexcept {
  const auto named = std::find(kHttpMonths.begin(), kHttpMonths.end(), month);
  if (time.size() != 8 || time[2] != ':' || time[5] != ':') return std::nullopt;
  const auto day_number = number_in(day);
  const auto hour = number_in(time.substr(0, 2));
  const auto minute = number_in(time.substr(3, 2));
  const auto second = number_in(time.substr(6, 2));
  if (named == kHttpMonths.end() || !day_number || !year || !hour || !minute || !second) return std::nullopt;
  if (*hour > 23 || *minute > 59 || *second > 60) return std::nullopt;  // 60 is a leap second
  const std::chrono::year_month_day date(std::chrono::year(*year),
                                         std::chrono::month(static_cast<unsigned>(named - kHttpMonths.begin()) + 1),
                                         std::chrono::day(static_cast<unsigned>(*day_number)));
  if (!date.ok()) return std::nullopt;
  return std::chrono::sys_days(date) + std::chrono::hours(*hour) + std::chrono::minutes(*minute) +
         std::chrono::seconds(*second);
}

/// Parses "Sun, 06 Nov 1994 08:49:37 GMT".
std::optional<Instant> read_current(std::string_view text) noexcept {
  if (text.size() != 29 || text.substr(3, 2) != ", " || text[7] != ' ' || text[11] != ' ' || text[16] != ' ' ||
      text.substr(25) != " GMT")
    return std::nullopt;
  return moment_of(text.substr(5, 2), text.substr(8, 3), number_in(text.substr(12, 4)), text.substr(17, 8));
}

/// Parses "Sunday, 06-Nov-94 08:49:37 GMT".
std::optional<Instant> read_of_rfc_850(std::string_view text) noexcept {
  const auto comma = text.find(", ");
  if (std::find(kHttpDays.begin(), kHttpDays.end(), text.substr(0, comma)) == kHttpDays.end()) return std::nullopt;
  const auto rest = text.substr(comma + 2);
  if (rest.size() != 22 || rest[2] != '-' || rest[6] != '-' || rest[9] != ' ' || rest.substr(18) != " GMT")
    return std::nullopt;
  auto year = number_in(rest.substr(7, 2));
  if (year) *year += *year < 70 ? 2000 : 1900;
  return moment_of(rest.substr(0, 2), rest.substr(3, 3), year, rest.substr(10, 8));
}

/// Parses "Sun Nov 6 08:49:37 1994", the form of asctime() in C.
std::optional<Instant> read_of_asctime(std::string_view text) noexcept {
  if (text.size() != 24 || text[3] != ' ' || text[7] != ' ' || text[10] != ' ' || text[19] != ' ') return std::nullopt;
  const auto day = text.substr(text[8] == ' ' ? 9 : 8, text[8] == ' ' ? 1 : 2);
  return moment_of(day, text.substr(4, 3), number_in(text.substr(20)), text.substr(11, 8));
}

/// Parses digits only. Returns the largest number if the value does not fit.
std::optional<std::int64_t> read_number_of_wait(std::string_view text) noexcept {
  if (text.empty() || text.find_first_not_of("0123456789") != text.npos) return std::nullopt;
  std::int64_t number = 0;
  if (std::from_chars(text.data(), text.data() + text.size(), number).ec != std::errc{}) return INT64_MAX;
  return number;
}

}  // namespace

std::optional<Instant> read_http_date(std::string_view text) noexcept {
  if (const auto moment = read_current(text)) return moment;
  if (const auto moment = read_of_rfc_850(text)) return moment;
  return read_of_asctime(text);
}

std::string http_date(Instant moment) {
  const auto second =
      static_cast<std::time_t>(std::chrono::floor<std::chrono::seconds>(moment.time_since_epoch()).count());
  std::tm parts{};
  gmtime_r(&second, &parts);
  std::array<char, 40> text{};
  return {text.data(), std::strftime(text.data(), text.size(), "%a, %d %b %Y %H:%M:%S GMT", &parts)};
}

std::optional<Duration> read_retry_after(std::string_view value, Instant now, Duration most) noexcept {
  const auto text = trimmed(value);
  if (const auto seconds = read_number_of_wait(text)) {
    const auto longest = std::chrono::duration_cast<std::chrono::seconds>(most).count();
    return std::chrono::seconds(std::min<std::int64_t>(*seconds, longest));
  }
  const auto date = read_http_date(text);
  if (!date) return std::nullopt;
  return std::clamp<Duration>(*date - now, Duration(0), most);
}

}  // namespace headgate::http
