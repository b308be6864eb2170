#include "headgate/limit/ledger.hpp"

#include "headgate/core/hash.hpp"
#include "headgate/core/whole_number.hpp"

namespace headgate::limit {

std::optional<Day> parse_day(std::string_view text) noexcept {
  if (text.size() != 10 || text[4] != '-' || text[7] != '-') return std::nullopt;
  const auto year = whole_number<unsigned>(text.substr(0, 4));
  const auto month = whole_number<unsigned>(text.substr(5, 2));
  const auto day = whole_number<unsigned>(text.substr(8, 2));
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
