// Advice on counters with periods of days that a restart would lose.

#include "config/advice/advice.hpp"
#include "config/values.hpp"

#include "headgate/limit/algorithm.hpp"

#include <chrono>

namespace headgate::config {
namespace {

constexpr Duration kDay = std::chrono::hours(24);
// Limits with this period or a longer one get a warning instead.
constexpr Duration kMonth = std::chrono::hours(24 * 28);

/// Returns the place of the first rate, in any tier, that lasts for a day or more; null if there is none.
const Node* place_of_quota(const Node& limit, const limit::Limit& options, const limit::Rule*& found) {
  for (std::size_t tier = 0; tier < options.tiers.size(); ++tier) {
    const auto& rules = options.tiers[tier].rules;
    const auto written = texts(find(tier_section(limit, tier), "rate"));
    for (std::size_t i = 0; i < rules.size() && i < written.size(); ++i) {
      const auto& rule = rules[i];
      if (!rule.algorithm->refills || rule.rate.period < kDay) continue;
      found = &rule;
      return written[i];
    }
  }
  return nullptr;
}

bool lasts_a_month_somewhere(const limit::Limit& limit) {
  for (const auto& tier : limit.tiers)
    for (const auto& rule : tier.rules)
      if (rule.rate.month || rule.rate.period >= kMonth) return true;
  return false;
}

}  // namespace

void advise_quota_in_memory(Adviser& given) {
  const auto& config = given.config();
  for (std::size_t i = 0; i < config.limits.size(); ++i) {
    const auto& limit = config.limits[i];
    if (limit.store != limit::Store::memory || limit.mode != limit::Mode::enforce || lasts_a_month_somewhere(limit))
      continue;
    const limit::Rule* rule = nullptr;
    const Node* const place = place_of_quota(given.limit_node(i), limit, rule);
    if (place == nullptr) continue;
    given.say(*place,
              "what was used of " + to_text(rule->rate) +
                  " is forgotten at a restart: it is counted in this gateway's memory, and only a reload and an "
                  "upgrade keep it",
              config.redis ? R"(count it in Redis: remove "store": "memory")"
                           : R"(count it in Redis: "redis": { "url": "redis://127.0.0.1:6379" })");
  }
}

}  // namespace headgate::config
