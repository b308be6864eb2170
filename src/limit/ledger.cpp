#include "headgate/limit/ledger.hpp"

#include "headgate/core/hash.hpp"

#include <charconv>
#include <cstdio>

namespace headgate::limit {

std::string day_text(Day day) {
  const std::chrono::year_month_day date(day);
  std::string out(32, '\0');
  const int length = std::snprintf(out.data(), out.size(), "%04d-%02u-%02u", static_cast<int>(date.year()),
                                   static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()));
  out.resize(static_cast<std::size_t>(length));
  return out;
}

std::optional<Day> parse_day(std::string_view text) noexcept {
  if (text.size() != 10 || text[4] != '-' || text[7] != '-') return std::nullopt;
  const auto number = [&](std::size_t at, std::size_t digits) -> std::optional<unsigned> {
    unsigned out = 0;
    const auto* const end = text.data() + at + digits;
    const auto [stop, error] = std::from_chars(text.data() + at, end, out);
    return error == std::errc() && stop == end ? std::optional(out) : std::nullopt;
  };
  const auto year = number(0, 4);
  const auto month = number(5, 2);
  const auto day = number(8, 2);
  if (!year || !month || !day) return std::nullopt;
  const std::chrono::year_month_day date{std::chrono::year(static_cast<int>(*year)), std::chrono::month(*month),
                                         std::chrono::day(*day)};
  return date.ok() ? std::optional(Day(date)) : std::nullopt;
}

void write_ledger_field(std::string& out, std::string_view limit, std::string_view key) {
  out.assign(limit);
  out += ' ';
  out += key;
}

std::optional<LedgerField> read_ledger_field(std::string_view field) noexcept {
  const auto space = field.find(' ');
  if (space == 0 || space == std::string_view::npos || space + 1 == field.size()) return std::nullopt;
  return LedgerField{field.substr(0, space), field.substr(space + 1)};
}

unsigned bucket_of(std::string_view field) noexcept { return static_cast<unsigned>(stable_hash(field) % kBuckets); }

}  // namespace headgate::limit
