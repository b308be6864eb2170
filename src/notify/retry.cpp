#include "headgate/notify/retry.hpp"

#include "headgate/core/text.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>

namespace headgate::notify {
namespace {

constexpr std::string_view kDateForm = "ddd, dd mmm dddd dd:dd:dd GMT";
constexpr std::array<std::string_view, 12> kMonths = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                      "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};

/// Digits only; beyond what fits, the largest.
std::optional<std::int64_t> read_digits(std::string_view text) noexcept {
  if (text.empty() || text.find_first_not_of("0123456789") != text.npos) return std::nullopt;
  std::int64_t number = 0;
  if (std::from_chars(text.data(), text.data() + text.size(), number).ec != std::errc{}) return INT64_MAX;
  return number;
}

/// "Sun, 06 Nov 1994 08:49:37 GMT". The day of the week is not read.
std::optional<Instant> read_date(std::string_view text) noexcept {
  if (text.size() != kDateForm.size() || text.substr(3, 2) != ", " || text.substr(25) != " GMT") return std::nullopt;
  const auto month = std::find(kMonths.begin(), kMonths.end(), text.substr(8, 3));
  const auto day = read_digits(text.substr(5, 2));
  const auto year = read_digits(text.substr(12, 4));
  const auto hour = read_digits(text.substr(17, 2));
  const auto minute = read_digits(text.substr(20, 2));
  const auto second = read_digits(text.substr(23, 2));
  if (month == kMonths.end() || !day || !year || !hour || !minute || !second) return std::nullopt;
  const std::chrono::year_month_day date(std::chrono::year(static_cast<int>(*year)),
                                         std::chrono::month(static_cast<unsigned>(month - kMonths.begin()) + 1),
                                         std::chrono::day(static_cast<unsigned>(*day)));
  if (!date.ok()) return std::nullopt;
  return std::chrono::sys_days(date) + std::chrono::hours(*hour) + std::chrono::minutes(*minute) +
         std::chrono::seconds(*second);
}

}  // namespace

Outcome outcome_of(unsigned status) noexcept {
  if (status / 100 == 2) return Outcome::delivered;
  if (status / 100 != 4) return Outcome::retry;
  const bool passing = status == 408 || status == 409 || status == 425 || status == 429;
  return passing ? Outcome::retry : Outcome::refused;
}

Duration pause_after(unsigned failed, double dice, std::optional<Duration> asked) noexcept {
  auto pause = kFirstPause;
  for (unsigned i = 1; i < failed && pause < kLongestPause; ++i) pause *= 2;
  pause = std::min(pause, kLongestPause);
  pause -= std::chrono::duration_cast<Duration>(pause * (dice / 2));
  return asked ? std::max(pause, std::min(*asked, kLongestPause)) : pause;
}

std::optional<Duration> read_retry_after(std::string_view value, Instant now) noexcept {
  const auto text = trimmed(value);
  if (const auto seconds = read_digits(text)) {
    const auto longest = std::chrono::duration_cast<std::chrono::seconds>(kLongestPause).count();
    return std::chrono::seconds(std::min<std::int64_t>(*seconds, longest));
  }
  const auto date = read_date(text);
  if (!date) return std::nullopt;
  return std::clamp<Duration>(*date - now, Duration(0), kLongestPause);
}

}  // namespace headgate::notify
