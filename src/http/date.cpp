#include "headgate/http/date.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <ctime>

namespace headgate::http {
namespace {

constexpr std::string_view kHttpDate = "ddd, dd mmm dddd dd:dd:dd GMT";
constexpr std::array<std::string_view, 12> kHttpMonths = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                          "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};

/// Digits only.
std::optional<int> number_in(std::string_view text) noexcept {
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (text.find_first_not_of("0123456789") != text.npos || error != std::errc() || end != text.data() + text.size())
    return std::nullopt;
  return number;
}

}  // namespace

std::optional<Instant> read_http_date(std::string_view text) noexcept {
  if (text.size() != kHttpDate.size() || text.substr(3, 2) != ", " || text.substr(25) != " GMT") return std::nullopt;
  const auto month = std::find(kHttpMonths.begin(), kHttpMonths.end(), text.substr(8, 3));
  const auto day = number_in(text.substr(5, 2));
  const auto year = number_in(text.substr(12, 4));
  const auto hour = number_in(text.substr(17, 2));
  const auto minute = number_in(text.substr(20, 2));
  const auto second = number_in(text.substr(23, 2));
  if (month == kHttpMonths.end() || !day || !year || !hour || !minute || !second) return std::nullopt;
  const std::chrono::year_month_day date(std::chrono::year(*year),
                                         std::chrono::month(static_cast<unsigned>(month - kHttpMonths.begin()) + 1),
                                         std::chrono::day(static_cast<unsigned>(*day)));
  if (!date.ok()) return std::nullopt;
  return std::chrono::sys_days(date) + std::chrono::hours(*hour) + std::chrono::minutes(*minute) +
         std::chrono::seconds(*second);
}

std::string http_date(Instant moment) {
  const auto second =
      static_cast<std::time_t>(std::chrono::floor<std::chrono::seconds>(moment.time_since_epoch()).count());
  std::tm parts{};
  gmtime_r(&second, &parts);
  std::array<char, 40> text{};
  return {text.data(), std::strftime(text.data(), text.size(), "%a, %d %b %Y %H:%M:%S GMT", &parts)};
}

}  // namespace headgate::http
