#include "attack_page.hpp"

#include "bench/table.hpp"

#include <algorithm>
#include <functional>
#include <limits>

namespace headgate::bench {
namespace {

constexpr double kTolerated = 1.1;
constexpr double kMiB = 1024.0 * 1024.0;

using Figure = double (*)(const Suffered&);
using Cell = std::string (*)(const Suffered&);

std::string head_of(const std::vector<std::string>& names, const std::string& what) {
  std::string out = "| " + what + " |";
  std::string line = "|---|";
  for (const auto& name : names) {
    out += ' ' + name + " |";
    line += "---|";
  }
  return out + '\n' + line + '\n';
}

/// What is below `noise` is the same for all.
std::string row_of(const AttackRow& row, Figure figure, Cell cell, double noise) {
  double lowest = std::numeric_limits<double>::max();
  for (const auto& each : row.of) lowest = std::min(lowest, figure(each));
  std::string out = "| " + row.name + " |";
  for (const auto& each : row.of) {
    const bool above = &each == &row.of.front() && figure(each) > std::max(lowest, noise) * kTolerated;
    const std::string mark = above ? "**" : "";
    out += ' ' + mark + cell(each) + (each.died ? ", died" : "") + mark + " |";
  }
  return out + '\n';
}

}  // namespace

std::string tables_of(const std::vector<std::string>& names, const std::vector<AttackRow>& rows,
                      const AttackRow& quiet) {
  std::string out = "| attack | what it does |\n|---|---|\n";
  for (const auto& row : rows) out += "| " + row.name + " | " + row.does + " |\n";
  out += "\nCPU time of the proxy for each byte that the attacker sends, in nanoseconds:\n\n";
  out += head_of(names, "attack");
  for (const auto& row : rows)
    out += row_of(
        row, [](const Suffered& of) { return of.cpu; }, [](const Suffered& of) { return number(of.cpu, 1); }, 0.1);
  out += "\nGrowth of its resident memory, in MiB:\n\n" + head_of(names, "attack");
  for (const auto& row : rows)
    out += row_of(
        row, [](const Suffered& of) { return of.memory; },
        [](const Suffered& of) { return number(of.memory / kMiB, 1); }, 0.5 * kMiB);
  out +=
      "\n99th percentile of the bystander's response times in milliseconds; in brackets, the number of its requests "
      "that were lost:\n\n";
  out += head_of(names, "attack");
  const auto waits = [](const AttackRow& row) {
    return row_of(
        row, [](const Suffered& of) { return of.p99 + 10 * of.lost; },
        [](const Suffered& of) {
          return number(of.p99 * 1e3, 1) + (of.lost > 0 ? " (" + number(of.lost, 0) + ")" : "");
        },
        0.001);
  };
  for (const auto& row : rows) out += waits(row);
  return out + waits(quiet);
}

}  // namespace headgate::bench
