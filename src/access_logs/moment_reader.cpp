#include "moment_reader.hpp"

#include "numbers.hpp"

#include "headgate/access_logs/moment.hpp"

#include <cstring>

namespace headgate::access_logs {
namespace {

constexpr std::size_t kClfSize = 20;   // size of 22/Nov/2026:05:30:12
constexpr std::size_t kIsoSize = 19;   // size of 2026-11-22T05:30:12
constexpr std::size_t kDateSize = 10;  // size of 2026-11-22
constexpr int kFirstYear = 1970;
constexpr int kLastYear = 2199;
/// The first moment after kLastYear, in seconds.
constexpr std::uint64_t kEnd = 7'258'118'400;

/// Returns the number in text[at, at + size); -1 if there are other characters.
int digits(std::string_view text, std::size_t at, std::size_t size) noexcept {
  int out = 0;
  for (auto i = at; i < at + size; ++i) {
    if (text[i] < '0' || text[i] > '9') return -1;
    out = out * 10 + (text[i] - '0');
  }
  return out;
}

std::optional<std::int64_t> seconds_of(int year, int month, int day, std::string_view clock) noexcept {
  const std::chrono::year_month_day date{std::chrono::year(year), std::chrono::month(static_cast<unsigned>(month)),
                                         std::chrono::day(static_cast<unsigned>(day))};
  if (year < kFirstYear || year > kLastYear || month < 1 || day < 1 || !date.ok()) return std::nullopt;
  std::int64_t of_day = 0;
  if (!clock.empty()) {
    const auto hour = digits(clock, 0, 2);
    const auto minute = digits(clock, 3, 2);
    const auto second = digits(clock, 6, 2);
    if (clock[2] != ':' || clock[5] != ':' || hour < 0 || hour > 23 || minute < 0 || minute > 59 || second < 0 ||
        second > 60)
      return std::nullopt;
    of_day = hour * 3600 + minute * 60 + second;
  }
  return std::chrono::sys_days(date).time_since_epoch().count() * std::int64_t{86'400} + of_day;
}

std::optional<std::int64_t> clf_seconds(std::string_view text) {
  constexpr std::string_view kMonths = "JanFebMarAprMayJunJulAugSepOctNovDec";
  const auto month = kMonths.find(text.substr(3, 3));
  if (text[2] != '/' || text[6] != '/' || text[11] != ':' || month == kMonths.npos || month % 3 != 0)
    return std::nullopt;
  return seconds_of(digits(text, 7, 4), static_cast<int>(month / 3 + 1), digits(text, 0, 2), text.substr(12, 8));
}

std::optional<std::int64_t> iso_seconds(std::string_view text) {
  if (text[4] != '-' || text[7] != '-') return std::nullopt;
  if (text.size() > kDateSize && text[kDateSize] != 'T' && text[kDateSize] != 't' && text[kDateSize] != ' ')
    return std::nullopt;
  return seconds_of(digits(text, 0, 4), digits(text, 5, 2), digits(text, 8, 2),
                    text.size() > kDateSize ? text.substr(kDateSize + 1) : std::string_view());
}

/// Parses a time zone such as "Z", "+01:00", " +0100" or "+01" into seconds east of UTC.
std::optional<std::int64_t> zone(std::string_view text) noexcept {
  if (text.starts_with(' ')) text.remove_prefix(1);
  if (text.empty() || text == "Z" || text == "z" || text == "UTC" || text == "GMT") return 0;
  const auto sign = text.front();
  text.remove_prefix(1);
  const bool colon = text.size() == 5 && text[2] == ':';
  if ((sign != '+' && sign != '-') || (text.size() != 2 && text.size() != 4 && !colon)) return std::nullopt;
  const auto hours = digits(text, 0, 2);
  const auto minutes = text.size() == 2 ? 0 : digits(text, colon ? 3 : 2, 2);
  if (hours < 0 || hours > 23 || minutes < 0 || minutes > 59) return std::nullopt;
  return (sign == '-' ? -60 : 60) * (hours * 60 + minutes);
}

/// Parses a number of seconds, milliseconds, microseconds or nanoseconds since 1970. Its number of digits
/// determines the unit.
std::optional<Instant> since_1970(std::string_view text, bool& fraction) noexcept {
  const auto whole = text.substr(0, text.find('.'));
  if (whole.size() > 19) return std::nullopt;
  unsigned places = 6;
  if (whole.size() > 11) places = whole.size() <= 14 ? 3 : 0;
  const auto number = scaled_number(text, places);
  if (!number) return std::nullopt;
  const auto micros = whole.size() > 17 ? *number / 1000 : *number;
  if (micros / 1'000'000 >= kEnd) return std::nullopt;
  fraction = whole.size() > 11 || whole.size() < text.size();
  return Instant(Duration(static_cast<std::int64_t>(micros)));
}

}  // namespace

std::optional<Instant> MomentReader::read(std::string_view text) noexcept {
  if (text.size() == size_ && std::memcmp(text.data(), text_.data(), size_) == 0 && size_ > 0) return moment_;
  const auto parsed = parse(text);
  size_ = 0;
  if (!parsed || text.size() > text_.size()) return parsed;
  std::memcpy(text_.data(), text.data(), text.size());
  size_ = text.size();
  moment_ = *parsed;
  return parsed;
}

std::optional<Instant> MomentReader::parse(std::string_view text) noexcept {
  fraction_ = false;
  if (text.size() >= kClfSize && text[2] == '/') return calendar(text, kClfSize, clf_seconds);
  if (text.size() >= kIsoSize && text[4] == '-') return calendar(text, kIsoSize, iso_seconds);
  if (text.size() == kDateSize && text[4] == '-') return calendar(text, kDateSize, iso_seconds);
  return since_1970(text, fraction_);
}

std::optional<Instant> MomentReader::calendar(std::string_view text, std::size_t size,
                                              std::optional<std::int64_t> (*seconds)(std::string_view)) noexcept {
  if (second_size_ != size || std::memcmp(text.data(), second_text_.data(), size) != 0) {
    const auto second = seconds(text.substr(0, size));
    if (!second) return std::nullopt;
    std::memcpy(second_text_.data(), text.data(), size);
    second_size_ = size;
    second_ = *second;
  }
  auto rest = text.substr(size);
  std::int64_t micros = 0;
  if (!rest.empty() && (rest.front() == '.' || rest.front() == ',')) {
    std::size_t at = 1;
    std::int64_t unit = 100'000;
    for (; at < rest.size() && rest[at] >= '0' && rest[at] <= '9'; ++at, unit /= 10) micros += (rest[at] - '0') * unit;
    if (at == 1) return std::nullopt;
    rest.remove_prefix(at);
    fraction_ = true;
  }
  const auto east = zone(rest);
  if (!east) return std::nullopt;
  return Instant(Duration((second_ - *east) * 1'000'000 + micros));
}

std::optional<Instant> parse_moment(std::string_view text) noexcept { return MomentReader().read(text); }

}  // namespace headgate::access_logs
