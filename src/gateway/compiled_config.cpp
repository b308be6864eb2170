#include "headgate/gateway/compiled_config.hpp"

#include "headgate/gateway/key_source.hpp"
#include "headgate/limit/algorithm.hpp"

#include <algorithm>
#include <numeric>
#include <stdexcept>

namespace headgate::gateway {
namespace {

/// Everything that a limit may count by or take its tier from.
std::vector<limit::Per> parts(const limit::Limit& limit) {
  auto out = limit.per;
  for (const auto& key : limit.if_absent.instead) out.insert(out.end(), key.begin(), key.end());
  if (limit.tier_from) out.push_back(*limit.tier_from);
  return out;
}

bool asks_for(const limit::Limit& limit, Needs needs) {
  const auto all = parts(limit);
  return std::any_of(all.begin(), all.end(), [needs](const limit::Per& per) { return per.source->needs == needs; });
}

bool ignores_case(const Options& options, const RouteOptions& route) {
  return route.ignore_case.value_or(options.all_routes.ignore_case);
}

bool ignores_case(const Options& options) {
  return std::any_of(options.routes.begin(), options.routes.end(),
                     [&](const RouteOptions& route) { return ignores_case(options, route); });
}

bool lets_wait(const CompiledLimit& limit) {
  return limit.in_flight && limit.limit.mode == limit::Mode::enforce &&
         std::any_of(limit.tiers.begin(), limit.tiers.end(), [](const CompiledTier& tier) {
           return std::any_of(tier.rules.begin(), tier.rules.end(),
                              [](const limit::Rule& rule) { return rule.wait > Duration(0); });
         });
}

bool needs_auth(const limit::Limit& limit) {
  return asks_for(limit, Needs::token) || asks_for(limit, Needs::api_key) || asks_for(limit, Needs::certificate);
}

Stage stage_of(const limit::Limit& limit) {
  if (limit.store == limit::Store::redis) return Stage::redis;
  return needs_auth(limit) ? Stage::memory_after_auth : Stage::memory;
}

/// The rule for failed authentications. Always counted in memory: a guess must not cost a Redis call.
limit::Rule rule_of(const identity::FailureLimit& failures) {
  limit::Rule rule;
  rule.limit = kFailureLimit;
  rule.rate = failures.rate;
  rule.burst = failures.burst;
  rule.algorithm = limit::find_algorithm(limit::kDefaultAlgorithm);
  limit::name_rule(rule, false, limit::PeriodInKey::no);
  return rule;
}

}  // namespace

CompiledConfig::CompiledConfig(const Options& options, const identity::Options& identity,
                               std::vector<limit::Limit> limits, const std::vector<std::string>& upstreams,
                               std::uint32_t instances)
    : options_(options),
      identity_(identity),
      proxy_fields_(options.proxy_fields),
      via_10_(options.via.empty() ? "" : "1.0 " + options.via),
      via_11_(options.via.empty() ? "" : "1.1 " + options.via),
      limits_(std::move(limits)),
      instances_(std::max(1u, instances)),
      router_(ignores_case(options) ? Case::ignored : Case::matters) {
  make_fleet_limits();
  if (identity_.failures) failure_rule_ = rule_of(*identity_.failures);
  for (const auto& room : options_.rooms) {
    auto made = std::make_unique<CompiledRoom>(room, instances_);
    made->number = rooms_.size();
    rooms_.push_back(std::move(made));
  }
  for (const auto& wanted : options_.routes) {
    auto route = std::make_unique<Route>();
    route->number = routes_.size();
    route->name = wanted.name.empty() ? wanted.path : wanted.name;
    route->respond = wanted.respond;
    route->upstream_name = wanted.to;
    route->path = wanted.path;
    route->ignore_case = ignores_case(options_, wanted);
    route->encoded_slash = wanted.encoded_slash;
    if (!wanted.waiting_room.empty()) route->room = room_of(wanted.waiting_room);
    route->https_port = wanted.https_port;
    route->require = wanted.require;
    route->unknown_key = wanted.unknown_key.value_or(options_.all_routes.unknown_key);
    route->timeout = wanted.timeout.value_or(options_.all_routes.timeout);
    route->between_bytes = wanted.between_bytes.value_or(options_.all_routes.between_bytes);
    route->max_body = wanted.max_body.value_or(options_.all_routes.max_body);
    if (!wanted.respond) {
      const auto at = std::find(upstreams.begin(), upstreams.end(), wanted.to);
      if (at == upstreams.end()) throw std::invalid_argument("no upstream is named " + wanted.to);
      route->upstream = static_cast<std::size_t>(at - upstreams.begin());
    }
    for (const auto& use : options_.all_routes.limits) {
      const auto& skipped = wanted.skip_limits;
      if (std::find(skipped.begin(), skipped.end(), use.limit) == skipped.end())
        route->plan.push_back(plan(use, route->name));
    }
    for (const auto& use : wanted.limits) route->plan.push_back(plan(use, route->name));
    route->priority = wanted.priority;
    if (!wanted.respond) {
      const auto& all = options_.concurrency;
      const auto own =
          std::find_if(all.begin(), all.end(), [&](const auto& each) { return each.upstream == wanted.to; });
      route->sheds = own != all.end() || options_.shedding.loop_lag > Duration(0);
      if (own != all.end() && own->options.in_flight > 0)
        route->plan.push_back(plan({.limit = fleet_limit(wanted.to), .cost = {}}, route->name));
    }
    // The order in which stages are checked; the rules of one stage stand together.
    std::stable_sort(route->plan.begin(), route->plan.end(),
                     [](const auto& a, const auto& b) { return a.stage < b.stage; });
    for (const auto& route_limit : route->plan) ++route->stage_begin[static_cast<std::size_t>(route_limit.stage) + 1];
    std::partial_sum(route->stage_begin.begin(), route->stage_begin.end(), route->stage_begin.begin());
    note_counted_headers(*route);
    note_bans(*route);
    route->reads_token = wanted.require == Require::jwt;
    route->reads_key = wanted.require == Require::api_key || identity_.api_key.any_known();
    if (route->room)
      for (const auto& per : route->room->options.per)
        route->reads_key = route->reads_key || per.source->needs == Needs::api_key;
    for (const auto& route_limit : route->plan) {
      route->reads_token = route->reads_token || asks_for(*route_limit.limit, Needs::token);
      route->reads_key = route->reads_key || asks_for(*route_limit.limit, Needs::api_key) ||
                         (route_limit.ready->exemption && !route_limit.ready->exemption->api_keys.empty());
      route->ranks = route->ranks || route_limit.ready->ranks;
      route->in_flight = route->in_flight || route_limit.ready->in_flight;
      route->in_turn = route->in_turn || route_limit.ready->in_turn;
      route->sharded = route->sharded || route_limit.limit->shards > 1;
      route->appointments = route->appointments || route_limit.limit->appointments.has_value();
      route->settles = route->settles || route_limit.cost.from == Cost::From::response_header ||
                       !route_limit.limit->counted_statuses.empty();
    }
    note_queue(*route);
    route->extras =
        !route->bans.empty() || route->room != nullptr || route->sheds || route->in_flight || route->appointments;
    router_.add(wanted.host, wanted.path, wanted.methods, route.get(),
                route->ignore_case ? Case::ignored : Case::matters);
    routes_.push_back(std::move(route));
  }
}

const CompiledRoom* CompiledConfig::room_of(std::string_view name) const {
  for (const auto& room : rooms_)
    if (room->options.rule.name == name) return room.get();
  throw std::invalid_argument("no waiting room is named " + std::string(name));
}

void CompiledConfig::note_counted_headers(Route& route) const {
  auto& names = route.counted_headers;
  if (route.room)
    for (const auto& per : route.room->options.per)
      if (per.source->needs == Needs::field) names.push_back(per.name);
  for (const auto& route_limit : route.plan) {
    for (const auto& per : parts(*route_limit.limit))
      if (per.source->needs == Needs::field) names.push_back(per.name);
    if (route_limit.cost.from == Cost::From::request_header) names.push_back(route_limit.cost.header);
  }
  if (route.sheds && !options_.shedding.priority_from.empty()) names.push_back(options_.shedding.priority_from);
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
}

void CompiledConfig::note_bans(Route& route) {
  for (const auto& route_limit : route.plan) {
    const auto& policy = route_limit.limit->ban;
    if (!policy) continue;
    const auto& name = policy->offences.limit;
    const auto known = std::find(bans_.begin(), bans_.end(), name);
    const auto number = static_cast<std::size_t>(known - bans_.begin());
    if (known == bans_.end()) bans_.push_back(name);
    route.bans.push_back({.route_limit = &route_limit,
                          .policy = &*policy,
                          .number = number,
                          .after_auth = needs_auth(*route_limit.limit)});
  }
  std::stable_sort(route.bans.begin(), route.bans.end(),
                   [](const auto& a, const auto& b) { return a.after_auth < b.after_auth; });
}

RouteLimit CompiledConfig::plan(const LimitUse& use, std::string_view route) {
  const auto& made = ready(use, route);
  RouteLimit route_limit;
  route_limit.limit = &made.limit;
  route_limit.ready = &made;
  route_limit.cost = use.cost;
  route_limit.stage = stage_of(made.limit);
  // The priority of a request may come from its token.
  if (made.fleet && route_limit.stage == Stage::memory) route_limit.stage = Stage::memory_after_auth;
  return route_limit;
}

const CompiledLimit& CompiledConfig::ready(const LimitUse& use, std::string_view route) {
  const auto named = [&](const limit::Limit& limit) { return limit.name == use.limit; };
  const auto at = std::find_if(limits_.begin(), limits_.end(), named);
  if (at == limits_.end()) throw std::invalid_argument("no limit is named " + use.limit);
  const Fraction share{
      .up = use.scale_up, .down = use.scale_down, .route = std::string(route), .instances = instances_};
  const auto made = std::find_if(ready_.begin(), ready_.end(), [&](const auto& each) { return named(each->limit); });
  if (!share.is_partial() && made != ready_.end()) return **made;
  auto limit = std::make_unique<CompiledLimit>();
  limit->limit = *at;
  limit->base = at->name;
  limit->share = share;
  if (share.is_partial()) limit->limit.name += "@" + share.route;
  limit->tiers.reserve(at->tiers.size());
  for (const auto& tier : at->tiers) {
    limit->tiers.push_back(compile_tier(tier, share, at->shards));
    limit->tiers.back().number = tiers_++;
    for (const auto& rule : tier.rules) limit->in_flight = limit->in_flight || !rule.algorithm->refills;
  }
  limit->in_turn = lets_wait(*limit);
  note_priorities(*limit);
  limit->extras = limit->in_flight || limit->limit.appointments || limit->limit.shards > 1;
  limit->binds = !limit->fleet && limit->limit.mode != limit::Mode::observe;
  for (const auto& exemption : options_.exemptions)
    if (exemption.limit == use.limit) limit->exemption = exemption;
  ready_.push_back(std::move(limit));
  return *ready_.back();
}

}  // namespace headgate::gateway
