// Advice on leases that are configured but never used.

#include "config/advice/advice.hpp"
#include "config/values.hpp"

#include "headgate/limit/algorithm.hpp"
#include "headgate/limit/leases.hpp"

#include <algorithm>

namespace headgate::config {
namespace {

bool any_rule(const limit::Limit& limit, bool (*is)(const limit::Rule& rule)) {
  return std::ranges::any_of(limit.tiers, [&](const auto& tier) { return std::ranges::any_of(tier.rules, is); });
}

}  // namespace

void advise_leases_in_vain(Adviser& given) {
  const auto& config = given.config();
  const std::uint32_t gateways = config.redis ? config.redis->instances : 1;
  const auto sharers = gateways * std::max(config.workers, 1U);
  for (std::size_t i = 0; i < config.limits.size(); ++i) {
    const auto& limit = config.limits[i];
    const Node* const written = text_at(&given.limit_node(i), "leases");
    if (written == nullptr || written->text != "auto" || limit.shards > 1 || limit.appointments) continue;
    const auto none = [&](const std::string& why) {
      given.say(*written, "no permit of this limit is ever leased: " + why, R"(remove it, or write "leases": "off")");
    };
    if (limit.store == limit::Store::memory) {
      none("it is counted in this gateway's memory");
    } else if (limit.mode == limit::Mode::observe) {
      none("it only observes");
    } else if (!any_rule(limit, [](const auto& rule) { return rule.leases; })) {
      const bool waits = any_rule(limit, [](const auto& rule) { return rule.wait > Duration(0); });
      if (any_rule(limit, [](const auto&) { return true; }))
        none(waits ? "its requests may wait for a permit" : "each moment counts in its algorithm");
    } else {
      const auto worth = [&](const limit::Rule& rule) { return rule.leases && limit::may_be_leased(rule, sharers); };
      const bool any =
          std::ranges::any_of(limit.tiers, [&](const auto& tier) { return std::ranges::any_of(tier.rules, worth); });
      if (!any)
        none("it allows too little at once, or refills too slowly, and a lease would withhold that from the others");
    }
  }
}

}  // namespace headgate::config
