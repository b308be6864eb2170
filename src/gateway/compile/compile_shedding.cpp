// What of the configuration load shedding uses: the capacity of an upstream as a limit in flight whose tiers are the
// priorities, and the priorities of other tiers.

#include "headgate/gateway/compiled_config.hpp"
#include "headgate/gateway/key_source.hpp"
#include "headgate/gateway/queue_names.hpp"
#include "headgate/limit/in_flight.hpp"

#include <algorithm>
#include <utility>

namespace headgate::gateway {
namespace {

/// In how many steps the capacity of an upstream is held free for higher priorities. The rules of a limit do not change
/// while it is used, so there is one for each.
constexpr std::uint64_t kFleetSizes = 32;

std::vector<FleetSize> sizes_of(const CompiledTier& tier) {
  std::vector<FleetSize> out;
  const auto smaller = [](std::vector<limit::Rule> rules, std::uint64_t step) {
    for (auto& rule : rules) {
      rule.burst = std::max<std::uint64_t>(1, rule.burst - rule.burst * step / kFleetSizes);
      rule.rate.count = rule.burst;
    }
    return rules;
  };
  for (std::uint64_t step = 0; step <= kFleetSizes; ++step) {
    FleetSize size{smaller(tier.rules, step), smaller(tier.local, step)};
    if (out.empty() || out.back().rules.front().burst != size.rules.front().burst ||
        out.back().local.front().burst != size.local.front().burst)
      out.push_back(std::move(size));
  }
  return out;
}

limit::Rule rule_of(const std::string& name, std::uint32_t most, const std::optional<shed::QueueOptions>& queue) {
  limit::Rule rule;
  rule.limit = name;
  rule.burst = most;
  rule.rate = {most, limit::kFlightLease};
  rule.algorithm = &limit::in_flight;
  if (queue) {
    rule.wait = queue->wait;
    rule.queue = queue->length;
  }
  limit::name_rule(rule, false, limit::PeriodInKey::no);
  return rule;
}

}  // namespace

// No limit of a user can have this name: names of limits have no colon.
std::string fleet_limit(std::string_view upstream) { return "upstream:" + std::string(upstream); }

/// All tiers of such a limit share one counter, and differ in how much of it they may use.
void CompiledConfig::make_fleet_limits() {
  for (const auto& each : upstreams_) {
    if (!each.concurrency || each.concurrency->in_flight == 0) continue;
    const auto& concurrency = *each.concurrency;
    limit::Limit limit;
    limit.name = fleet_limit(each.name);
    limit.per = {*read_per("upstream")};
    limit.store = each.in_flight_store;
    for (std::size_t i = 0; i < shed::kPriorities; ++i) {
      const auto most = shed::share_of(static_cast<shed::Priority>(i), concurrency.in_flight, concurrency.reserved);
      limit.tiers.push_back({std::string(shed::kPriorityWords[i]), {rule_of(limit.name, most, concurrency.queue)}});
    }
    limits_.push_back(std::move(limit));
  }
}

/// What of its upstream a route has. Adds the upstream's capacity to its plan.
void CompiledConfig::note_upstream(Route& route, const RouteOptions& wanted) {
  const auto& upstream = upstreams_[route.upstream];
  const auto& concurrency = upstream.concurrency;
  route.circuit = upstream.circuit.has_value();
  if (!upstream.balance_per.empty()) route.balance_per = &upstream.balance_per;
  if (concurrency && concurrency->queue) route.queue = &upstream;
  if (upstream.server_queue) {
    route.server_queue = &*upstream.server_queue;
    route.server_queue_key = queue_of_servers(upstream.name);
  }
  route.sheds = concurrency || upstream.server_queue || options_.shedding.loop_lag > Duration(0);
  if (!concurrency || concurrency->in_flight == 0) return;
  auto& capacity = route.plan.emplace_back(plan({.limit = fleet_limit(upstream.name), .cost = {}}, route.name));
  if (wanted.held_body > 0) capacity.stage = is_in_redis(capacity.stage) ? Stage::held_in_redis : Stage::held;
}

Hash queue_of_servers(std::string_view upstream) {
  constexpr std::uint64_t kSeed = 2;
  return keyed_hash(fleet_limit(upstream), kSeed);
}

std::vector<Hash> queues_of_capacity(const CompiledConfig& compiled, std::string_view upstream) {
  std::vector<Hash> out;
  const auto name = fleet_limit(upstream);
  for (const auto& limit : compiled.limits()) {
    if (!limit->fleet || limit->base != name) continue;
    const auto& tier = limit->tiers.front();
    for (const auto* const rules : {&tier.rules, &tier.local})
      for (const auto& rule : *rules)
        if (const auto queue = keyed_hash(upstream, rule.seed); std::find(out.begin(), out.end(), queue) == out.end())
          out.push_back(queue);
  }
  return out;
}

void CompiledConfig::note_priorities(CompiledLimit& limit) const {
  limit.fleet = limit.base.starts_with(fleet_limit(""));
  if (limit.fleet)
    for (auto& tier : limit.tiers) tier.sizes = sizes_of(tier);
  for (const auto& each : options_.tier_priorities) {
    if (each.limit != limit.base) continue;
    for (auto& tier : limit.tiers)
      if (tier.name == each.tier) tier.priority = each.priority;
    limit.ranks = true;
  }
}

}  // namespace headgate::gateway
