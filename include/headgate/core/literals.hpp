#pragma once
// The literals of the configuration: durations, rates and sizes. Parsed strictly, and formatted in their shortest form.
// Used by config and most other modules.

#include "headgate/core/result.hpp"
#include "headgate/core/time.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace headgate {

/// A rate: `count` requests in each `period`. parse_rate makes both at least 1 (one request, one microsecond).
struct Rate {
  std::uint64_t count = 1;
  Duration period{1};
  bool month = false;  ///< true for "/month", a calendar month; `period` is then 31 days
  bool operator==(const Rate&) const = default;
};
/// Maximum count of a rate.
inline constexpr std::uint64_t kMaxRequests = 10'000'000'000'000;

/// The reason why a literal is invalid, and what to write instead. Both are whole sentences without a final dot.
struct LiteralError {
  std::string message;  ///< `"100r/m" is not a rate`
  std::string help;     ///< `write "100/minute"  (a count, a slash, then second, minute, hour or day)`
};

/// Parses a whole number above 0 and a unit: "250ms", "5s", "1m", "2h", "1d". At most 366 days.
Result<Duration, LiteralError> parse_duration(std::string_view text);
/// Parses "100/minute", "100/m", "300/5m" or "5/100ms": a count from 1 to 10^13, a slash, then a unit (with an optional
/// count) or its short form, or "month".
Result<Rate, LiteralError> parse_rate(std::string_view text);
/// Parses "512", "64KiB", "1MiB" or "500kB" into bytes. At most 2^53.
Result<std::uint64_t, LiteralError> parse_size(std::string_view text);

std::string to_text(Duration duration);      ///< returns the shortest exact form: "90s", "1m", "250ms"
std::string to_text(const Rate& rate);       ///< returns "100/minute" or "300/5m"
std::string period_text(const Rate& rate);   ///< returns the period for a sentence: "a minute", "every 5m", "a month"
std::string size_text(std::uint64_t bytes);  ///< returns "1MiB"

/// Returns the member of `known` with the smallest edit distance to `written`, or "" if none is near enough to suggest.
template <class Range>
std::string nearest(std::string_view written, const Range& known);

/// Returns the edit distance with transpositions (optimal string alignment), ignoring case.
std::size_t edit_distance(std::string_view a, std::string_view b);

template <class Range>
std::string nearest(std::string_view written, const Range& known) {
  std::string best;
  std::size_t least = written.size() / 3 + 2;  // up to a third of the letters may be wrong
  for (const auto& word : known) {
    if (auto distance = edit_distance(written, word); distance < least) {
      least = distance;
      best = word;
    }
  }
  return best;
}

}  // namespace headgate
