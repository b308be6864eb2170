// Compiles what the limits of a route read from bodies.

#include "headgate/core/hash.hpp"
#include "headgate/gateway/bodies/body_plan.hpp"
#include "headgate/gateway/compiled_config.hpp"
#include "headgate/gateway/cost_source.hpp"
#include "headgate/gateway/each_per.hpp"
#include "headgate/usage/provider.hpp"

#include <algorithm>
#include <memory>

namespace headgate::gateway {
namespace {

constexpr std::uint64_t kReadBody = 64UL * 1'024;
/// The largest body that is read for a hold: a prompt may have hundreds of KiB, with pictures many MiB.
constexpr std::uint64_t kReadPrompt = 32UL * 1'024 * 1'024;

void plan_key(const limit::Limit& limit, BodyPlan& bodies) {
  each_per(limit, [&](const limit::Per& per) {
    if (per.source->needs != Needs::body || bodies.key(per.name)) return;
    bodies.reads_request = true;
    bodies.keys.emplace_back(per.name, bodies.request.add(*scan::parse_pointer(per.name), scan::Take::value));
  });
}

void plan_hold(Cost& cost, BodyPlan& bodies) {
  auto& hold = cost.hold;
  if (!hold.reads_body()) return;
  bodies.reads_request = true;
  if (!hold.pointer.empty()) hold.at = bodies.request.add(*scan::parse_pointer(hold.pointer), scan::Take::value);
  if (!hold.clamp || bodies.root != scan::Pointers::kNone) return;
  bodies.root = bodies.request.add({}, scan::Take::value);
  if (bodies.provider != nullptr) bodies.most_members = usage::most_members(*bodies.provider, bodies.request);
}

}  // namespace

void CompiledConfig::plan_bodies(Route& route, const RouteOptions& wanted) {
  BodyPlan bodies;
  bool holds = false;
  for (const auto& each : route.plan) {
    if (each.cost.from == nullptr || !each.cost.from->of_api || bodies.provider != nullptr) continue;
    bodies.provider = usage::find_provider(each.cost.name);
    bodies.request = usage::request_pointers(*bodies.provider);
    bodies.answer = usage::answer_pointers(*bodies.provider);
    holds = true;  // prompts are long
  }
  for (auto& each : route.plan) {
    plan_key(*each.limit, bodies);
    auto& cost = each.cost;
    if (cost.from != nullptr && cost.from->plan != nullptr) cost.from->plan(cost, bodies);
    plan_hold(cost, bodies);
    if (cost.from != nullptr && cost.from->of_api)
      cost.learned_as = stable_hash(route.name + '\n' + each.limit->name) | 1;  // 0 stands for nothing
    bodies.asks_usage = bodies.asks_usage || cost.ask_usage;
    bodies.drains_answer = bodies.drains_answer || cost.on_hangup == OnHangup::drain;
    bodies.extends = bodies.extends || cost.hold.extends;
    bodies.needs_price = bodies.needs_price || (cost.priced && !cost.unpriced);
    holds = holds || cost.hold.reads_body() || cost.ask_usage;
  }
  if (bodies.extends) bodies.names = usage::add_stream_names(*bodies.provider, bodies.answer);
  if (bodies.asks_usage) {
    bodies.reads_request = true;
    bodies.stream = bodies.request.add(*scan::parse_pointer("/stream"), scan::Take::value);
    bodies.stream_options = bodies.request.add(*scan::parse_pointer("/stream_options"), scan::Take::value);
  }
  if (!wanted.model_instead.empty()) {
    bodies.reads_request = true;
    bodies.model = bodies.request.add(*scan::parse_pointer("/model"), scan::Take::value);
  }
  if (!bodies.reads_request && !bodies.reads_answer) return;
  bodies.refuses_tunnels = bodies.refuses_tunnels || bodies.reads_answer;
  const auto usual = bodies.keys.empty() ? UnreadableBody::count : UnreadableBody::reject;
  bodies.refuses = wanted.unreadable_body.value_or(usual) == UnreadableBody::reject;
  bodies.most = std::min(wanted.read_body.value_or(holds ? kReadPrompt : kReadBody), route.max_body);
  route.bodies = std::make_shared<const BodyPlan>(std::move(bodies));
}

}  // namespace headgate::gateway
