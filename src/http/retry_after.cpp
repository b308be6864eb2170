#include "headgate/http/retry_after.hpp"

#include "headgate/core/text.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>

namespace headgate::http {
namespace {

constexpr std::string_view kHttpDate = "ddd, dd mmm dddd dd:dd:dd GMT";
constexpr std::array<std::string_view, 12> kHttpMonths = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                          "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};

/// Digits only; beyond what fits, the largest.
std::optional<std::int64_t> read_number_of_wait(std::string_view text) noexcept {
  if (text.empty() || text.find_first_not_of("0123456789") != text.npos) return std::nullopt;
  std::int64_t number = 0;
  if (std::from_chars(text.data(), text.data() + text.size(), number).ec != std::errc{}) return INT64_MAX;
  return number;
}

/// "Sun, 06 Nov 1994 08:49:37 GMT". The day of the week is not read.
std::optional<Instant> read_http_date(std::string_view text) noexcept {
  if (text.size() != kHttpDate.size() || text.substr(3, 2) != ", " || text.substr(25) != " GMT") return std::nullopt;
  const auto month = std::find(kHttpMonths.begin(), kHttpMonths.end(), text.substr(8, 3));
  const auto day = read_number_of_wait(text.substr(5, 2));
  const auto year = read_number_of_wait(text.substr(12, 4));
  const auto hour = read_number_of_wait(text.substr(17, 2));
  const auto minute = read_number_of_wait(text.substr(20, 2));
  const auto second = read_number_of_wait(text.substr(23, 2));
  if (month == kHttpMonths.end() || !day || !year || !hour || !minute || !second) return std::nullopt;
  const std::chrono::year_month_day date(std::chrono::year(static_cast<int>(*year)),
                                         std::chrono::month(static_cast<unsigned>(month - kHttpMonths.begin()) + 1),
                                         std::chrono::day(static_cast<unsigned>(*day)));
  if (!date.ok()) return std::nullopt;
  return std::chrono::sys_days(date) + std::chrono::hours(*hour) + std::chrono::minutes(*minute) +
         std::chrono::seconds(*second);
}

}  // namespace

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
