// Compiles the parts of a route that come from its upstream: capacity, queues, priorities of tiers, and forwarding with
// retries, a held body or a mirror.

#include "headgate/gateway/compiled_config.hpp"
#include "headgate/gateway/queue_names.hpp"
#include "headgate/limit/in_flight.hpp"
#include "headgate/limit/scale.hpp"

#include <algorithm>
#include <memory>
#include <utility>

namespace headgate::gateway {
namespace {

/// Number of equal parts of a capacity; the places that are reserved for higher priorities are a whole number of parts.
constexpr std::uint64_t kCapacitySteps = 64;

limit::Rule smaller(limit::Rule rule, std::uint64_t step) {
  rule.burst = rule.burst - rule.burst * step / kCapacitySteps;
  rule.rate.count = rule.burst;
  return rule;
}

std::vector<CapacitySize> sizes_of(const limit::Rule& all, const limit::Rule& share) {
  std::vector<CapacitySize> out;
  for (std::uint64_t step = 0; step <= kCapacitySteps; ++step) {
    CapacitySize size{smaller(all, step), smaller(share, step)};
    if (out.empty() || out.back().all.burst != size.all.burst || out.back().share.burst != size.share.burst)
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

// Returns the name for the capacity's rule. No configured limit can have this name, because names of limits contain no
// colon.
std::string capacity_name(std::string_view upstream) { return "upstream:" + std::string(upstream); }

std::unique_ptr<const Capacity> compile_capacity(const UpstreamOptions& upstream, const Sharers& sharers) {
  if (!upstream.concurrency || upstream.concurrency->in_flight == 0) return nullptr;
  const auto& concurrency = *upstream.concurrency;
  auto out = std::make_unique<Capacity>();
  out->name = capacity_name(upstream.name);
  out->upstream = upstream.name;
  out->store = upstream.in_flight_store;
  out->queues = concurrency.queue && concurrency.queue->wait > Duration(0);
  std::array<limit::Rule, shed::kPriorities> whole;
  for (std::size_t i = 0; i < shed::kPriorities; ++i) {
    const auto most = shed::share_of(static_cast<shed::Priority>(i), concurrency.in_flight, concurrency.reserved);
    whole[i] = rule_of(out->name, most, concurrency.queue);
  }
  out->of_sharers = std::make_shared<const ForSharers<Capacity::Sizes>>(sharers, [whole](std::uint32_t gateways) {
    Capacity::Sizes sizes;
    for (std::size_t i = 0; i < whole.size(); ++i) sizes[i] = sizes_of(whole[i], limit::scaled(whole[i], 1, gateways));
    return sizes;
  });
  return out;
}

/// Sets the members of a route that come from its upstream.
void CompiledConfig::note_upstream(Route& route) {
  const auto& upstream = upstreams_[route.upstream];
  route.upstream_options = &upstream;
  route.shedding = &options_.shedding;
  if (!upstream.balance_per.empty()) route.balance_per = &upstream.balance_per;
  if (upstream.server_queue) {
    route.server_queue = &*upstream.server_queue;
    route.server_queue_key = queue_of_servers(upstream.name);
  }
  auto& capacity = capacities_[route.upstream];
  if (!capacity) capacity = compile_capacity(upstream, sharers_);
  route.capacity = capacity.get();
}

Hash queue_of_servers(std::string_view upstream) {
  constexpr std::uint64_t kSeed = 2;
  return keyed_hash(capacity_name(upstream), kSeed);
}

std::vector<Hash> queues_of_capacity(const CompiledConfig& compiled, std::string_view upstream) {
  std::vector<Hash> out;
  for (const auto& capacity : compiled.capacities()) {
    if (!capacity || capacity->upstream != upstream) continue;
    const auto& size = capacity->sizes().front().front();
    for (const auto* const rule : {&size.all, &size.share})
      if (const auto queue = keyed_hash(upstream, rule->seed); std::find(out.begin(), out.end(), queue) == out.end())
        out.push_back(queue);
  }
  return out;
}

void CompiledConfig::note_priorities(CompiledLimit& limit) const {
  for (const auto& each : options_.tier_priorities) {
    if (each.limit != limit.base) continue;
    for (auto& tier : limit.tiers)
      if (tier.name == each.tier) tier.priority = each.priority;
    limit.ranks = true;
  }
}

std::shared_ptr<const Forwarding> CompiledConfig::forwarding(const RouteOptions& wanted, const std::string& to) const {
  if (wanted.respond) return nullptr;
  Forwarding out;
  if (const auto& retry = upstreams_[upstream_number(to)].retry) out.retry = &*retry;
  out.held_body = wanted.held_body;
  out.mirror = wanted.mirror;
  if (out.mirror) out.mirror_upstream = upstream_number(out.mirror->to);
  if (out.retry == nullptr && out.held_body == 0 && !out.mirror) return nullptr;
  return std::make_shared<const Forwarding>(std::move(out));
}

}  // namespace headgate::gateway
