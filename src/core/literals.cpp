#include "headgate/core/literals.hpp"

#include "headgate/core/rate_help.hpp"
#include "headgate/core/text.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <numeric>
#include <optional>
#include <vector>

namespace headgate {
namespace {

constexpr std::uint64_t kMicro = 1;
constexpr std::uint64_t kSecond = 1'000'000 * kMicro;
constexpr std::uint64_t kDay = 86'400 * kSecond;
constexpr std::uint64_t kLongest = 366 * kDay;
constexpr std::uint64_t kMonth = 31 * kDay;  // the longest month, which is the maximum of a month's window
constexpr std::uint64_t kMaxBytes = std::uint64_t{1} << 53;

struct Unit {
  std::string_view name;
  std::string_view word;  // the long form; empty if rates cannot use the unit
  std::uint64_t size;
};

// Largest first: formatting uses the first unit that divides.
constexpr std::array<Unit, 6> kTimes{{{"d", "day", kDay},
                                      {"h", "hour", 3'600 * kSecond},
                                      {"m", "minute", 60 * kSecond},
                                      {"s", "second", kSecond},
                                      {"ms", "", 1'000 * kMicro},
                                      {"us", "", kMicro}}};
constexpr std::array<Unit, 9> kSizes{{{"TiB", "", std::uint64_t{1} << 40},
                                      {"TB", "", 1'000'000'000'000},
                                      {"GiB", "", std::uint64_t{1} << 30},
                                      {"GB", "", 1'000'000'000},
                                      {"MiB", "", std::uint64_t{1} << 20},
                                      {"MB", "", 1'000'000},
                                      {"KiB", "", 1'024},
                                      {"kB", "", 1'000},
                                      {"B", "", 1}}};

// Returns the part of a literal that a message shows, because a string in a file may be a megabyte long.
std::string quoted(std::string_view text) {
  constexpr std::size_t kShown = 60;
  if (text.size() <= kShown) return '"' + std::string(text) + '"';
  std::size_t end = kShown;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;  // cuts no UTF-8 sequence
  return '"' + std::string(text.substr(0, end)) + "...\"";
}

std::size_t digits(std::string_view text) {
  return static_cast<std::size_t>(std::find_if(text.begin(), text.end(), [](char c) { return c < '0' || c > '9'; }) -
                                  text.begin());
}

// Reads digits only. A number above 64 bits becomes the largest one, so that range checks find it.
std::uint64_t number(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc::result_out_of_range ? std::numeric_limits<std::uint64_t>::max() : value;
}

bool product_exceeds(std::uint64_t a, std::uint64_t b, std::uint64_t most) { return b != 0 && a > most / b; }

template <class Units>
const Unit* unit_named(const Units& units, std::string_view name) {
  const auto found = std::find_if(units.begin(), units.end(), [&](const Unit& unit) { return unit.name == name; });
  return found == units.end() ? nullptr : &*found;
}

std::string in_words(std::string_view count) {
  static constexpr std::array<std::string_view, 13> kWords{"zero",  "one",   "two",  "three", "four",   "five",  "six",
                                                           "seven", "eight", "nine", "ten",   "eleven", "twelve"};
  const auto value = number(count);
  return std::string(value < kWords.size() ? kWords[value] : count);
}

LiteralError no_unit(std::string_view text) {
  const std::string count(text);
  const std::string plural = number(text) == 1 ? "" : "s";
  return {quoted(text) + " has no unit", '"' + count + "s\" is " + in_words(text) + " second" + plural + ", \"" +
                                             count + "ms\" " + in_words(text) + " millisecond" + plural};
}

LiteralError not_a_rate(std::string_view text) { return {quoted(text) + " is not a rate", rate_help(text)}; }

// Returns the period of a rate: "minute", "m", "5m", "5minutes". Returns 0 if the text is not a valid period.
std::uint64_t period_of(std::string_view text) {
  const auto length = digits(text);
  const std::uint64_t count = length == 0 ? 1 : number(text.substr(0, length));
  auto name = text.substr(length);
  for (const Unit& unit : kTimes) {
    const bool plural = count > 1 && !unit.word.empty() && name.size() == unit.word.size() + 1 &&
                        name.starts_with(unit.word) && name.ends_with('s');
    if (name != unit.name && (unit.word.empty() || name != unit.word) && !plural) continue;
    return product_exceeds(count, unit.size, kLongest) ? kLongest + 1 : count * unit.size;
  }
  return 0;
}

// Returns the period of a rate as one word; empty if it has none.
std::string_view period_word(const Rate& rate) {
  if (rate.month) return "month";
  const auto period = static_cast<std::uint64_t>(rate.period.count());
  const auto unit = std::find_if(kTimes.begin(), kTimes.end(),
                                 [&](const Unit& each) { return each.size == period && !each.word.empty(); });
  return unit == kTimes.end() ? std::string_view{} : unit->word;
}

std::optional<LiteralError> no_period(std::string_view text, std::string_view count, std::string_view period) {
  for (const auto& [word, days] : {std::pair{"week", "7d"}, std::pair{"year", "365d"}}) {
    if (!period.starts_with(word)) continue;
    return LiteralError{quoted(text) + " is not a rate: " + word + " is no unit here",
                        "write \"" + std::string(count) + '/' + days + '"'};
  }
  return std::nullopt;
}

}  // namespace

Result<Duration, LiteralError> parse_duration(std::string_view text) {
  const auto count = digits(text);
  if (count > 0 && count == text.size()) return no_unit(text);
  const Unit* unit = unit_named(kTimes, text.substr(count));
  if (count == 0 || unit == nullptr) {
    return LiteralError{quoted(text) + " is not a duration",
                        "write a whole number and one unit (ms, s, m, h or d), as in \"250ms\" or \"90s\""};
  }
  const auto value = number(text.substr(0, count));
  if (value == 0) return LiteralError{quoted(text) + " is too short", "write at least \"1ms\""};
  if (product_exceeds(value, unit->size, kLongest)) {
    return LiteralError{quoted(text) + " is longer than 366 days", "write at most \"366d\""};
  }
  return Duration(static_cast<Duration::rep>(value * unit->size));
}

Result<Rate, LiteralError> parse_rate(std::string_view text) {
  const auto slash = text.find('/');
  if (slash == std::string_view::npos) return not_a_rate(text);
  const auto count = text.substr(0, slash);
  const auto period = text.substr(slash + 1);
  if (count.empty() || digits(count) != count.size()) return not_a_rate(text);
  if (auto error = no_period(text, count, period)) return *error;
  const auto requests = number(count);
  const bool month = period == "month" || period == "mo";
  const auto length = month ? kMonth : period_of(period);
  if (digits(period) == 0 && length == 0) return not_a_rate(text);
  if (requests == 0) {
    return LiteralError{quoted(text) + " allows nothing",
                        "a count is at least 1; to refuse everyone, let the route \"respond\" with a status"};
  }
  if (requests > kMaxRequests) {
    return LiteralError{quoted(text) + " allows more than " + std::to_string(kMaxRequests) + " requests a period",
                        "leave the limit out instead"};
  }
  if (length > kLongest)
    return LiteralError{quoted(text) + " has a period longer than 366 days", "write at most \"366d\""};
  if (length == 0) {
    const bool zero = unit_named(kTimes, period.substr(digits(period))) != nullptr;
    if (!zero) return not_a_rate(text);
    return LiteralError{quoted(text) + " has a period of no time at all",
                        "write \"" + std::string(count) + "/second\""};
  }
  return Rate{requests, Duration(static_cast<Duration::rep>(length)), month};
}

Result<std::uint64_t, LiteralError> parse_size(std::string_view text) {
  const auto count = digits(text);
  const auto name = text.substr(count);
  const Unit* unit = name.empty() ? &kSizes.back() : unit_named(kSizes, name);
  if (count == 0 || unit == nullptr) {
    std::string help =
        "write a whole number of bytes, or a whole number followed directly by a unit, as in \"64KiB\", \"1MiB\" or "
        "\"500kB\"";
    return LiteralError{quoted(text) + " is not a size", std::move(help)};
  }
  const auto value = number(text.substr(0, count));
  if (product_exceeds(value, unit->size, kMaxBytes)) {
    return LiteralError{quoted(text) + " is more than 2^53 bytes", "write at most \"8192TiB\""};
  }
  return value * unit->size;
}

std::string to_text(Duration duration) {
  const auto count = duration.count();
  if (count == 0) return "0s";
  // The negation is unsigned, because the smallest signed number has no positive counterpart.
  const auto size = count < 0 ? 0 - static_cast<std::uint64_t>(count) : static_cast<std::uint64_t>(count);
  const auto unit = std::find_if(kTimes.begin(), kTimes.end(), [&](const Unit& each) { return size % each.size == 0; });
  return (count < 0 ? "-" : "") + std::to_string(size / unit->size) + std::string(unit->name);
}

std::string to_text(const Rate& rate) {
  const auto word = period_word(rate);
  return std::to_string(rate.count) + '/' + (word.empty() ? to_text(rate.period) : std::string(word));
}

std::string period_text(const Rate& rate) {
  const auto word = period_word(rate);
  if (word.empty()) return "every " + to_text(rate.period);
  return (word == "hour" ? "an " : "a ") + std::string(word);
}

std::string size_text(std::uint64_t bytes) {
  std::uint64_t least = bytes;
  std::string_view name;
  for (const Unit& unit : kSizes) {
    if (unit.size == 1 || bytes % unit.size != 0 || bytes / unit.size >= least) continue;
    least = bytes / unit.size;
    name = unit.name;
  }
  return std::to_string(least) + std::string(name);
}

std::size_t edit_distance(std::string_view a, std::string_view b) {
  // a longer text is hardly a misspelling, and the time to compare is the product of both lengths
  constexpr std::size_t kLongestWord = 256;
  if (a.size() > kLongestWord || b.size() > kLongestWord) return std::max(a.size(), b.size());
  const auto same = [](char x, char y) { return lower(x) == lower(y); };
  std::vector<std::size_t> before(b.size() + 1);
  std::vector<std::size_t> above(b.size() + 1);
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(above.begin(), above.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t change = above[j - 1] + (same(a[i - 1], b[j - 1]) ? 0 : 1);
      row[j] = std::min({above[j] + 1, row[j - 1] + 1, change});
      const bool swapped = i > 1 && j > 1 && same(a[i - 1], b[j - 2]) && same(a[i - 2], b[j - 1]);
      if (swapped) row[j] = std::min(row[j], before[j - 2] + 1);
    }
    std::swap(before, above);
    std::swap(above, row);
  }
  return above[b.size()];
}

}  // namespace headgate
