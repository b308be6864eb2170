// The percentages of a limit at which an operator is notified.

#include "config/build.hpp"
#include "config/formats/formats.hpp"
#include "config/table_shapes.hpp"
#include "config/text/codes.hpp"
#include "config/text/report.hpp"
#include "config/values.hpp"

#include "headgate/gateway/options.hpp"
#include "headgate/limit/algorithm.hpp"
#include "headgate/limit/quota.hpp"

#include <algorithm>
#include <chrono>

namespace headgate::config {
namespace {

constexpr Shape kNotifyPart = text("a share", check_part);

}  // namespace

constexpr Shape kNotifyParts = list("a list of shares", kNotifyPart, 1, limit::kMaxNotifyAt);

namespace {

constexpr std::uint32_t kOnePercent = gateway::kWholeShare / 100;

/// Reports a mistake and returns false if the percentages do not rise.
bool check_rising(Report& report, const Node& node, unsigned before, unsigned percent) {
  if (percent > before) return true;
  const auto said = std::to_string(percent) + '%';
  if (percent == before)
    report.error(code::kDuplicate, node, in_quotes(said) + " appears twice in this list", "remove one of the two");
  else
    report.error(code::kConflict, node, in_quotes(said) + " comes after " + in_quotes(std::to_string(before) + '%'),
                 "write the smaller one first");
  return false;
}

void check_periods(Report& report, const Node& written, const limit::Limit& limit) {
  constexpr auto kShort = std::chrono::minutes(1);
  for (const auto& tier : limit.tiers) {
    for (const auto& rule : tier.rules) {
      if (rule.algorithm->name != "fixed_window") {
        report.error_at_key(code::kConflict, written,
                            "\"notify_at\" needs periods with a beginning and an end, and " +
                                in_quotes(rule.algorithm->name) + " has none",
                            R"(write "algorithm": "fixed_window", or remove it)");
        return;
      }
      if (rule.from_first_use || rule.burst > rule.rate.count) {
        report.error_at_key(code::kConflict, written,
                            rule.from_first_use
                                ? "\"notify_at\" needs periods that are the same for all keys, and these begin with "
                                  "a key's first request"
                                : "\"notify_at\" needs a quota of one period, and \"burst\" takes from the next ones",
                            "remove one of the two");
        return;
      }
      if (rule.rate.month || rule.rate.period >= kShort) continue;
      report.warning_at_key(
          code::kNoEffect, written,
          "a period of " + to_text(rule.rate.period) +
              " is over before anybody reads the notice, and each key may cause a new notice in every period",
          "use \"notify_at\" for a quota of an hour, a day or a month");
      return;
    }
  }
}

}  // namespace

void build_notices(Build& build, const Node& node, limit::Limit& out) {
  const Node* written = find(&node, "notify_at");
  if (written == nullptr) return;
  unsigned before = 0;
  for (const Node* each : texts(written)) {
    const auto part = parse_part(each->text);
    if (part.has_error()) continue;  // reported by the check of the table
    const auto percent = *part / kOnePercent;
    if (!check_rising(build.report, *each, before, percent)) break;
    before = percent;
    out.notify_at.push_back(percent);
  }
  const auto& tiers = out.tiers;
  const bool counts_rates = std::all_of(tiers.begin(), tiers.end(), [](const limit::Tier& tier) {
    return std::all_of(tier.rules.begin(), tier.rules.end(),
                       [](const limit::Rule& rule) { return rule.algorithm->refills; });
  });
  if (!counts_rates) return;  // reported with the tiers
  check_periods(build.report, *written, out);
  if (out.shards > 1)
    build.report.error_at_key(code::kConflict, *written,
                              "\"notify_at\" needs one counter for each key, and \"shards\" divides it into several",
                              "remove one of the two");
  if (find(&build.root, "webhook") == nullptr)
    build.report.error_at_key(
        code::kMissing, *written, "\"notify_at\" needs a \"webhook\" that receives the notices",
        R"(add "webhook": { "url": "https://hooks.example.com/headgate", "secret": "${HEADGATE_WEBHOOK_SECRET}" })");
}

}  // namespace headgate::config
