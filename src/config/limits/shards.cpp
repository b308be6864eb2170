// Shards of a limit: whether it can be divided, and at what cost.

#include "headgate/limit/shards.hpp"

#include "config/build.hpp"
#include "config/table_shapes.hpp"
#include "config/text/codes.hpp"
#include "config/text/report.hpp"
#include "config/values.hpp"

#include "headgate/limit/algorithm.hpp"

namespace headgate::config {

constexpr Shape kShards = integer(2, limit::kMaxShards);

namespace {

class ShardChecker {
 public:
  ShardChecker(Report& report, const Node& written, limit::Limit& out)
      : report_(report), written_(written), out_(out) {}

  void run() {
    if (out_.store == limit::Store::memory)
      return refuse("\"shards\" divides a counter in Redis, and this limit counts in this gateway's memory",
                    "remove it");
    for (const auto& tier : out_.tiers)
      for (const auto& rule : tier.rules)
        if (!check(tier, rule)) return;
    leases();
  }

 private:
  void refuse(const std::string& message, const std::string& help) {
    report_.error_at_key(code::kConflict, written_, message, help);
  }

  bool check(const limit::Tier& tier, const limit::Rule& rule) {
    const auto shards = out_.shards;
    if (!rule.algorithm->refills) {
      refuse("an \"in_flight\" limit has no shards: a small share of it would be full immediately", "remove it");
    } else if (rule.calendar) {
      refuse("a limit that counts by days or months has no shards: it is too slow to need them", "remove it");
    } else if (rule.wait.count() > 0) {
      refuse("\"wait\" reserves a moment in one counter, and \"shards\" divides it into several",
             "remove one of the two");
    } else if (limit::shards_of({&rule, 1}, shards) < shards) {
      const auto most = std::to_string(limit::shards_of({&rule, 1}, shards));
      refuse(std::to_string(shards) + " shards of " + in_quotes(to_text(rule.rate)) +
                 (tier.name.empty() ? "" : " of tier " + in_quotes(tier.name)) +
                 " would have less than one request each",
             most == "1" ? "remove it" : "write at most " + most);
    } else {
      if (const auto lost = limit::lost_in_shards(rule, shards); lost > 0 && !told_) {
        told_ = true;
        report_.warning(code::kNoEffect, written_,
                        std::to_string(shards) + " shards do not divide " + std::to_string(rule.burst) +
                            ": together they allow " + std::to_string(rule.burst - lost) + " at once",
                        "write a number that divides it");
      }
      return true;
    }
    return false;
  }

  // Turns leases off, and warns if there were any: a lease takes the permits of a busy key in batches, so one server is
  // enough for any key, and the limit stays exact without shards.
  void leases() {
    bool any = false;
    for (auto& tier : out_.tiers) {
      for (auto& rule : tier.rules) {
        any = any || rule.leases;
        rule.leases = false;
      }
    }
    if (!any) return;
    report_.warning_at_key(code::kNoEffect, written_,
                           "a busy key of this limit needs no shards: without them its permits are leased, which needs "
                           "few calls and is exact",
                           R"(remove it, or write "leases": "off" beside it)");
  }

  Report& report_;
  const Node& written_;
  limit::Limit& out_;
  bool told_ = false;
};

}  // namespace

void build_shards(Build& build, const Node& node, limit::Limit& out) {
  const Node* written = find(&node, "shards");
  read_number(&node, "shards", out.shards);
  // reported by the check of the table
  if (written == nullptr || out.shards < 2 || out.shards > limit::kMaxShards) return;
  ShardChecker(build.report, *written, out).run();
}

}  // namespace headgate::config
