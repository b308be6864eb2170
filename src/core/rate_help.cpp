#include "headgate/core/rate_help.hpp"

#include "headgate/core/literals.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <numeric>
#include <optional>

namespace headgate {
namespace {

struct PeriodUnit {
  std::string_view word;
  std::string_view letter;
  std::uint64_t in_next;  // number of these units in the next larger unit
};
constexpr std::array<PeriodUnit, 4> kPeriodUnits{
    {{"second", "s", 60}, {"minute", "m", 60}, {"hour", "h", 24}, {"day", "d", 0}}};

constexpr char small(char c) noexcept { return static_cast<char>(c | 0x20); }
constexpr bool is_digit(char c) noexcept { return c >= '0' && c <= '9'; }

/// An amount of count / per requests in a period, in lowest terms.
struct Amount {
  std::uint64_t count = 0;
  std::uint64_t per = 1;
};

/// Returns whether the ',' at `at` separates thousands, as in "1,000", where exactly three digits follow it.
bool parts_thousands(std::string_view text, std::size_t at) noexcept {
  const auto behind = text.substr(at + 1);
  const auto digits = static_cast<std::size_t>(
      std::find_if(behind.begin(), behind.end(), [](char c) { return !is_digit(c); }) - behind.begin());
  return digits == 3;
}

/// Returns the number at the start of `text`, in any notation: "-5", "1,000", "1_000", "0.5", "0,5", "1k".
std::optional<Amount> amount(std::string_view text) noexcept {
  if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
  Amount out;
  bool fraction = false;
  std::size_t at = 0;
  for (; at < text.size(); ++at) {
    const char c = text[at];
    if (is_digit(c)) {
      if (out.count > kMaxRequests || out.per > kMaxRequests) return std::nullopt;
      out.count = out.count * 10 + static_cast<std::uint64_t>(c - '0');
      if (fraction) out.per *= 10;
    } else if (at == 0) {
      return std::nullopt;
    } else if (c == '.' || (c == ',' && !parts_thousands(text, at))) {
      if (fraction) return std::nullopt;
      fraction = true;
    } else if (c != ',' && c != '_') {
      break;
    }
  }
  if (at < text.size() && small(text[at]) == 'k') out.count *= 1'000;
  if (out.count == 0) return std::nullopt;
  const auto shared = std::gcd(out.count, out.per);
  out = {out.count / shared, out.per / shared};
  if (out.count > kMaxRequests || out.per > kMaxRequests) return std::nullopt;
  return out;
}

// Returns the unit that is meant, as the first letter after the count shows: "5sec", "100 / Min", "10r/s". If the
// letter is unknown, a minute is meant.
std::size_t unit_meant(std::string_view text) noexcept {
  const auto before = text.find_last_of("/ ");
  for (const char c : text.substr(before == std::string_view::npos ? 0 : before + 1)) {
    if (small(c) < 'a' || small(c) > 'z') continue;
    const auto found = std::find_if(kPeriodUnits.begin(), kPeriodUnits.end(),
                                    [&](const PeriodUnit& unit) { return unit.letter[0] == small(c); });
    if (found != kPeriodUnits.end()) return static_cast<std::size_t>(found - kPeriodUnits.begin());
    break;
  }
  return 1;
}

// Returns whether a month is meant ("Month", "Monat", "MONTH") rather than a minute.
bool month_meant(std::string_view text) noexcept {
  constexpr std::string_view kStart = "mon";
  return std::search(text.begin(), text.end(), kStart.begin(), kStart.end(),
                     [](char c, char start) { return small(c) == start; }) != text.end();
}

std::string in_quotes(std::uint64_t count, std::string_view period) {
  return '"' + std::to_string(count) + '/' + std::string(period) + '"';
}

}  // namespace

std::string rate_help(std::string_view text) {
  const auto meant = amount(text).value_or(Amount{100, 1});
  if (month_meant(text)) {
    const auto count = std::max<std::uint64_t>(meant.count / meant.per, 1);
    return "write " + in_quotes(count, "month") + " for calendar months, or a number of days, as in " +
           in_quotes(count, "30d");
  }
  constexpr const char* kForm = "  (a count, a slash, then second, minute, hour or day)";
  const auto unit = unit_meant(text);
  const auto& period = kPeriodUnits[unit];
  if (meant.per == 1) return "write " + in_quotes(meant.count, period.word) + kForm;
  // A rate has no fractions of requests, so the help suggests whole requests in several periods or in a longer period.
  auto help = "write " + in_quotes(meant.count, std::to_string(meant.per) + std::string(period.letter));
  const auto in_next = meant.count * period.in_next;
  if (in_next != 0 && in_next % meant.per == 0)
    help += " or " + in_quotes(in_next / meant.per, kPeriodUnits[unit + 1].word);
  return help + kForm;
}

}  // namespace headgate
