#include "cost_page.hpp"

#include "page.hpp"
#include "process.hpp"
#include "table.hpp"

#include <algorithm>
#include <cmath>
#include <sstream>

namespace headgate::bench {

namespace {

constexpr double kTolerated = 1.03;
// How many connections a proxy makes to the upstream differs from run to run, and each takes ten calls.
constexpr double kToleratedCalls = 0.25;
constexpr const char* kPart = "cost";

/// 21100.4: "21,100".
std::string grouped(double value) {
  auto digits = std::to_string(std::llround(value));
  for (auto at = static_cast<std::ptrdiff_t>(digits.size()) - 3; at > 0; at -= 3)
    digits.insert(static_cast<std::size_t>(at), ",");
  return digits;
}

std::string cells_of(const std::optional<Cost>& cost) {
  if (!cost) return " – | – |";
  return ' ' + grouped(cost->instructions) + " | " + number(cost->calls, 2) + " |";
}

/// "| name | 21,100 | 5.00 |...": the first two figures of the row; nothing where there is no such row.
std::optional<Cost> cost_in(const std::string& table, const std::string& name) {
  const auto line = "\n| " + name + " |";
  const auto at = table.find(line);
  if (at == table.npos) return std::nullopt;
  std::istringstream cells(table.substr(at + line.size()));
  std::string instructions;
  std::string calls;
  std::getline(cells, instructions, '|');
  std::getline(cells, calls, '|');
  std::erase(instructions, ',');
  return Cost{.instructions = std::stod(instructions), .calls = std::stod(calls)};
}

}  // namespace

std::string counted_with() {
  return "g++ " + std::to_string(__GNUC__) + '.' + std::to_string(__GNUC_MINOR__) + ", " +
         first_line_of("valgrind --version");
}

std::string table_of(const std::vector<CostRow>& rows) {
  std::string out = "Counted with " + counted_with() +
                    ":\n\n| request | headgate: instructions | calls | nginx: instructions | calls | HAProxy: "
                    "instructions | calls | nghttpx: instructions | calls |\n|---|---|---|---|---|---|---|---|---|\n";
  for (const auto& row : rows)
    out += "| " + row.name + " |" + cells_of(row.headgate) + cells_of(row.nginx) + cells_of(row.haproxy) +
           cells_of(row.nghttpx) + '\n';
  return out;
}

std::string with_table(const std::string& page, const std::string& table) { return with_part(page, kPart, table); }

bool counted_otherwise(const std::string& page) {
  return part_of(page, kPart).find("Counted with " + counted_with() + ":") == std::string::npos;
}

std::vector<std::string> grown(const std::string& page, const std::vector<CostRow>& rows) {
  const auto table = part_of(page, kPart);
  std::vector<std::string> out;
  for (const auto& row : rows) {
    const auto known = cost_in(table, row.name);
    if (!known) {
      out.push_back("the page has no row \"" + row.name + '"');
      continue;
    }
    if (row.headgate.instructions > known->instructions * kTolerated)
      out.push_back(row.name + ": " + grouped(row.headgate.instructions) +
                    " instructions a request, and the page says " + grouped(known->instructions));
    if (row.headgate.calls > known->calls + kToleratedCalls)
      out.push_back(row.name + ": " + number(row.headgate.calls, 2) + " system calls a request, and the page says " +
                    number(known->calls, 2));
  }
  return out;
}

}  // namespace headgate::bench
