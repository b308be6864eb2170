// The table of the path, for the documentation.

#include "gateway/steps/table.hpp"

namespace headgate::gateway {
namespace {

/// Returns the marks of a step in the table: properties other than letting a request continue or ending it.
std::string marks(const StepRow& row) {
  std::string out;
  const auto add = [&out](const char* mark) { out.append(out.empty() ? "" : ", ").append(mark); };
  const bool runs = row.live.at_once != nullptr || row.live.task != nullptr;
  if (row.live.task != nullptr) add("waits");
  if (runs && row.peek.at_once == nullptr && row.peek.task == nullptr) add("skipped by questions");
  if (row.refused != OnRefusal::stays) add("gives back");
  if (row.leave != nullptr) add("cleans up");
  if ((row.facts.counts != nullptr && row.facts.counts->count != nullptr) || row.facts.record != nullptr ||
      row.facts.explain != nullptr)
    add("reports");
  return out;
}

}  // namespace

std::string steps_in_words() {
  std::string out = "| step | of | | why it stands here |\n|---|---|---|---|\n";
  for (const auto& row : kPath) {
    out.append("| `").append(row.name).append("` | ").append(row.of).append(" | ").append(marks(row));
    out.append(" | ").append(row.why).append(" |\n");
  }
  return out;
}

}  // namespace headgate::gateway
