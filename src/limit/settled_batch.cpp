// The number of a sender's last batch. lua/settled_batch.lua is the only store of it.

#include "headgate/limit/settled_batch.hpp"

#include <chrono>
#include <optional>
#include <span>

namespace headgate::limit {
namespace {

std::optional<Decision> decision_on_batch(const Rule&, std::int64_t cost, CommitMode,
                                          std::span<const std::int64_t> words) {
  if (words[0] < 0) return std::nullopt;
  Decision decision;
  decision.allowed = words[0] < cost;
  decision.limit = 1;
  return decision;
}

void arguments_of_batch(const Check& check, Instant, ArgumentList& out) {
  out.add(check.cost);
  out.add(std::chrono::duration_cast<std::chrono::milliseconds>(kBatchKept).count());
}

}  // namespace

const Algorithm settled_batch{.name = "settled_batch",
                              .words = 1,
                              .leasable = false,
                              .refills = false,
                              .default_burst = nullptr,
                              .check = nullptr,
                              .meaning = nullptr,
                              .peek = nullptr,
                              .commit = nullptr,
                              .decision = decision_on_batch,
                              .arguments = arguments_of_batch};

Rule batch_rule(std::string_view sender) {
  Rule rule;
  rule.algorithm = &settled_batch;
  rule.suffix.append("#").append(sender);  // the suffix of a counter begins with ':'
  return rule;
}

Check batch_check(const Rule& rule, std::int64_t number) noexcept {
  return {.rule = &rule, .key = "settled", .hash = {}, .cost = number};
}

}  // namespace headgate::limit
