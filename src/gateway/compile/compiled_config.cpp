#include "headgate/gateway/compiled_config.hpp"

#include "gateway/limits/told_size.hpp"
#include "gateway/steps/applies.hpp"
#include "gateway/steps/table.hpp"

#include "headgate/gateway/bodies/body_plan.hpp"
#include "headgate/gateway/cost_source.hpp"
#include "headgate/gateway/each_per.hpp"
#include "headgate/gateway/key_source.hpp"
#include "headgate/gateway/route_edits.hpp"
#include "headgate/limit/in_flight.hpp"

#include <boost/unordered/unordered_flat_map.hpp>

#include <algorithm>
#include <numeric>
#include <stdexcept>

namespace headgate::gateway {
namespace {

/// Returns whether a key source with these `needs` may decide about the key or the tier of this limit.
bool asks_for(const limit::Limit& limit, Needs needs) {
  bool any = false;
  each_per(limit, [&](const limit::Per& per) { any = any || per.source->needs == needs; });
  return any;
}

Case letters_of(const PathOptions& options, const RouteOptions& route) {
  return route.ignore_case.value_or(options.all_routes.ignore_case) ? Case::ignored : Case::matters;
}

/// Returns how a tree with all these routes compares upper and lower case.
Case letters_of(const PathOptions& options) {
  const auto ignores = [&](const RouteOptions& route) { return letters_of(options, route) == Case::ignored; };
  return std::ranges::any_of(options.routes, ignores) ? Case::ignored : Case::matters;
}

bool lets_wait(const CompiledLimit& limit) {
  return limit.in_flight && limit.limit.mode == limit::Mode::enforce &&
         std::any_of(limit.tiers.begin(), limit.tiers.end(), [](const CompiledTier& tier) {
           return std::any_of(tier.rules.begin(), tier.rules.end(),
                              [](const limit::Rule& rule) { return rule.wait > Duration(0); });
         });
}

bool needs_auth(const limit::Limit& limit) {
  return asks_for(limit, Needs::token) || asks_for(limit, Needs::api_key) || asks_for(limit, Needs::certificate) ||
         asks_for(limit, Needs::service) || asks_for(limit, Needs::user);
}

/// Returns whether the limit may count by the address alone, and not only by the address together with other values.
bool counts_by_address(const limit::Limit& limit) {
  const auto alone = [](const std::vector<limit::Per>& per) {
    return per.size() == 1 && per.front().source->word == "client_ip";
  };
  return alone(limit.per) || std::any_of(limit.if_absent.instead.begin(), limit.if_absent.instead.end(), alone);
}

Stage stage_of(const limit::Limit& limit) {
  if (limit.glitches) return Stage::no_request;
  if (limit.store == limit::Store::redis) return Stage::redis;
  return needs_auth(limit) ? Stage::memory_after_auth : Stage::memory;
}

}  // namespace

bool lets_wait(std::span<const RouteLimit> limits) noexcept {
  return std::ranges::any_of(limits, [](const RouteLimit& each) { return each.ready->in_turn; });
}

limit::Rule built_in_rule(std::string_view name, const Rate& rate, std::uint64_t burst) {
  limit::Rule rule;
  rule.limit = name;
  rule.rate = rate;
  rule.burst = burst;
  rule.algorithm = limit::find_algorithm(limit::kDefaultAlgorithm);
  limit::name_rule(rule, false, limit::PeriodInKey::no);
  return rule;
}

struct CompiledConfig::Names {
  using Numbers = boost::unordered_flat_map<std::string, std::size_t>;
  Numbers limits;     // indexes of limits_
  Numbers ready;      // indexes of ready_, for limits that are counted together on all routes
  Numbers bans;       // indexes of bans_
  Numbers upstreams;  // indexes of upstreams_
};

CompiledConfig::CompiledConfig(const PathOptions& options, const identity::IdentityOptions& identity,
                               std::vector<limit::Limit> limits, std::vector<UpstreamOptions> upstreams,
                               Sharers sharers)
    : options_(options),
      identity_(identity),
      upstreams_(std::move(upstreams)),
      proxy_fields_(options.proxy_fields),
      via_10_(options.via.empty() ? "" : "1.0 " + options.via),
      via_11_(options.via.empty() ? "" : "1.1 " + options.via),
      via_20_(options.via.empty() ? "" : "2.0 " + options.via),
      limits_(std::move(limits)),
      sharers_(std::move(sharers)),
      router_(letters_of(options)),
      names_(std::make_unique<Names>()) {
  capacities_.resize(upstreams_.size());
  // If two have the same name, the first counts.
  for (std::size_t i = 0; i < limits_.size(); ++i) names_->limits.emplace(limits_[i].name, i);
  for (std::size_t i = 0; i < upstreams_.size(); ++i) names_->upstreams.emplace(upstreams_[i].name, i);
  if (identity_.failures)
    failure_rule_ = built_in_rule(kFailureLimit, identity_.failures->rate, identity_.failures->burst);
  for (const auto& room : options_.rooms) {
    auto made = std::make_unique<CompiledRoom>(room, sharers_);
    made->number = rooms_.size();
    rooms_.push_back(std::move(made));
  }
  for (const auto& wanted : options_.routes) {
    auto route = make_route(wanted, wanted.to, routes_.size());
    if (!wanted.to_instead.empty()) route->instead = route_instead(*route, wanted);
    if (wanted.split) split_route(*route, wanted);
    if (!route->split) serving_.push_back(route.get());
    if (wanted.descriptor)
      descriptor_routes_.add(*wanted.descriptor, route.get());
    else
      router_.add(wanted.host, wanted.path, wanted.methods, route.get(), route->letters, &wanted.conditions);
    routes_.push_back(std::move(route));
  }
  if (!options_.usage.empty()) make_usage();
  note_glitch_bans();
  names_.reset();
}

void CompiledConfig::note_glitch_bans() {
  for (const auto* const route : serving_) {
    for (const auto& ban : route->bans) {
      const auto same = [&](const RouteBan& known) { return known.route_limit->ready == ban.route_limit->ready; };
      if (ban.route_limit->limit->glitches && std::none_of(glitch_bans_.begin(), glitch_bans_.end(), same))
        glitch_bans_.push_back(ban);
    }
  }
}

CompiledConfig::~CompiledConfig() = default;

std::size_t CompiledConfig::upstream_number(const std::string& name) const {
  const auto found = names_->upstreams.find(name);
  if (found == names_->upstreams.end()) throw std::invalid_argument("no upstream is named " + name);
  return found->second;
}

std::unique_ptr<Route> CompiledConfig::make_route(const RouteOptions& wanted, const std::string& to,
                                                  std::size_t number) {
  auto route = std::make_unique<Route>();
  route->options = &wanted;
  route->number = number;
  route->name = wanted.name.empty() ? wanted.path : wanted.name;
  route->respond = wanted.respond;
  if (options_.logged && !options_.logged->of_answer.empty()) route->logged = options_.logged.get();
  route->edits = compile_edits(options_.all_routes.edits.get(), wanted,
                               to.empty() ? std::string_view{} : upstreams_[upstream_number(to)].base);
  for (const auto* const rules : {options_.all_routes.addresses.get(), wanted.addresses.get()})
    if (rules != nullptr) route->address_rules.push_back(rules);
  routes_by_address_ = routes_by_address_ || !wanted.conditions.client_ip.empty();
  route->upstream_name = to;
  route->path = wanted.path;
  route->letters = letters_of(options_, wanted);
  route->encoded_slash = wanted.encoded_slash;
  if (!wanted.waiting_room.empty()) route->room = room_of(wanted.waiting_room);
  route->https_port = wanted.https_port;
  route->require = wanted.require;
  route->demands = wanted.demands.get();
  route->cors = wanted.cors.get();
  if (route->cors && !preflight_rule_)
    preflight_rule_ = built_in_rule(kPreflightLimit, kPreflightRate, kPreflightBurst);
  route->unknown_key = wanted.unknown_key.value_or(options_.all_routes.unknown_key);
  route->timeout = wanted.timeout.value_or(options_.all_routes.timeout);
  route->between_bytes = wanted.between_bytes.value_or(options_.all_routes.between_bytes);
  route->max_body = wanted.max_body.value_or(options_.all_routes.max_body);
  route->min_rate = wanted.min_rate.value_or(options_.all_routes.min_rate);
  route->client_close = wanted.client_close.value_or(options_.all_routes.client_close);
  if (!wanted.respond) route->upstream = upstream_number(to);
  for (const auto& use : options_.all_routes.limits) {
    const auto& skipped = wanted.skip_limits;
    if (std::find(skipped.begin(), skipped.end(), use.limit) == skipped.end())
      route->plan.push_back(plan(use, route->name));
  }
  for (const auto& use : wanted.limits) route->plan.push_back(plan(use, route->name));
  route->priority = wanted.priority;
  if (!wanted.respond) note_upstream(*route);
  std::vector<const CompiledLimit*> written;
  for (const auto& route_limit : route->plan)
    if (route_limit.ready->ranks) written.push_back(route_limit.ready);
  // The plan is sorted by stage, in the order of the checks, so that the limits of one stage are next to each other.
  std::stable_sort(route->plan.begin(), route->plan.end(),
                   [](const auto& a, const auto& b) { return a.stage < b.stage; });
  for (const auto* const ranks : written)
    route->ranking.push_back(&*std::ranges::find(route->plan, ranks, &RouteLimit::ready));
  for (const auto& route_limit : route->plan) ++route->stage_begin[static_cast<std::size_t>(route_limit.stage) + 1];
  std::partial_sum(route->stage_begin.begin(), route->stage_begin.end(), route->stage_begin.begin());
  plan_bodies(*route, wanted);
  note_bans(*route);
  note_reads(*route, wanted);
  route->forwarding = forwarding(wanted, to);
  if (wanted.auth) route->auth = auth_of(*route, wanted);
  if (wanted.basic) route->basic = compile_basic(*wanted.basic);
  if (refuses_credentials(*route))
    for (auto& each : route->plan)
      each.of_guesses =
          !each.after_auth && !each.reads_body && !each.ready->in_flight && !each.limit->counted_statuses.empty();
  note_websockets(*route, wanted);
  note_steps(*route);
  return route;
}

/// Records whether the route may open WebSockets. They are opened with GET, whatever protocol the client uses.
void CompiledConfig::note_websockets(const Route& route, const RouteOptions& wanted) {
  const bool takes_get = wanted.methods.empty() || std::any_of(wanted.methods.begin(), wanted.methods.end(),
                                                               [](const auto& one) { return same_word(one, "GET"); });
  if (!wanted.respond && takes_get && !route.asks_http2()) opens_websockets_ = true;
}

/// Gives `route` a route for each upstream, so that limits, load shedding and queues are those of the upstream that a
/// request goes to.
void CompiledConfig::split_route(Route& route, const RouteOptions& wanted) {
  auto split = std::make_shared<CompiledSplit>();
  split->options = wanted.split.get();
  each_per(wanted.split->by, [&](const limit::Per& part) {
    const auto needs = part.source->needs;
    split->after_auth = split->after_auth || needs == Needs::token || needs == Needs::service || needs == Needs::user;
  });
  for (const auto& share : wanted.split->shares) {
    auto one = make_route(wanted, share.upstream, route.number);
    one->instead = route.instead;
    serving_.push_back(one.get());
    split->routes.push_back(std::move(one));
  }
  route.split = std::move(split);
  note_steps(route);
}

std::shared_ptr<const Route> CompiledConfig::route_instead(const Route& route, const RouteOptions& wanted) {
  auto out = make_route(wanted, wanted.to_instead, route.number);
  out->model = wanted.model_instead;
  serving_.push_back(out.get());
  return out;
}

const CompiledRoom* CompiledConfig::room_of(std::string_view name) const {
  for (const auto& room : rooms_)
    if (room->options.rule.name == name) return room.get();
  throw std::invalid_argument("no waiting room is named " + std::string(name));
}

void CompiledConfig::note_bans(Route& route) {
  for (const auto& route_limit : route.plan) {
    const auto& policy = route_limit.limit->ban;
    const bool by_address = counts_by_address(*route_limit.limit);
    if (!policy || by_address)
      route.suspendable.push_back(
          {.route_limit = &route_limit, .by_address = by_address, .after_auth = needs_auth(*route_limit.limit)});
    if (!policy) continue;
    const auto& name = policy->offences.limit;
    const auto [known, fresh] = names_->bans.emplace(name, bans_.size());
    const auto number = known->second;
    if (fresh) bans_.push_back(name);
    route.bans.push_back({.route_limit = &route_limit,
                          .policy = &*policy,
                          .number = number,
                          .by_address = by_address,
                          .after_auth = route_limit.after_auth});
    if (by_address && !route.suspendable.empty()) route.suspendable.back() = route.bans.back();
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
  route_limit.cost.priced = made.limit.unit == limit::Unit::money && use.cost.from != nullptr && use.cost.from->of_api;
  route_limit.stage = stage_of(made.limit);
  route_limit.after_auth = needs_auth(made.limit);
  route_limit.reads_body = asks_for(made.limit, Needs::body) || reads_request_body(use.cost);
  if (route_limit.reads_body && route_limit.stage == Stage::memory) route_limit.stage = Stage::memory_after_auth;
  return route_limit;
}

const CompiledLimit& CompiledConfig::ready(const LimitUse& use, std::string_view route) {
  const auto named = names_->limits.find(use.limit);
  if (named == names_->limits.end()) throw std::invalid_argument("no limit is named " + use.limit);
  const auto* const at = &limits_[named->second];
  const Fraction share{.up = use.scale_up,
                       .down = use.scale_down,
                       .route = std::string(route),
                       .sharers = sharers_,
                       .alone_up = at->alone_up,
                       .alone_down = at->alone_down};
  // A route that splits its requests has a route for each upstream. These routes share one part of the limit.
  auto key = use.limit;
  if (share.is_partial())
    key += '\n' + share.route + '\n' + std::to_string(share.up) + '/' + std::to_string(share.down);
  const auto [made, fresh] = names_->ready.emplace(std::move(key), ready_.size());
  if (!fresh) return *ready_[made->second];
  auto limit = std::make_unique<CompiledLimit>();
  limit->limit = *at;
  limit->base = at->name;
  limit->share = share;
  if (share.is_partial()) limit->limit.name += "@" + share.route;
  limit->tiers.reserve(at->tiers.size());
  for (const auto& tier : at->tiers) {
    limit->tiers.push_back(compile_tier(tier, share, at->shards));
    limit->tiers.back().number = tiers_++;
    for (const auto& rule : tier.rules) limit->in_flight = limit->in_flight || rule.algorithm == &limit::in_flight;
  }
  if (at->size_from) limit->told = std::make_shared<ToldSizes>();
  limit->in_turn = lets_wait(*limit);
  note_priorities(*limit);
  limit->plain = !limit->in_flight && !limit->limit.appointments && limit->limit.shards <= 1;
  for (const auto& exemption : options_.exemptions)
    if (exemption.limit == use.limit) limit->exemption = exemption;
  ready_.push_back(std::move(limit));
  return *ready_.back();
}

}  // namespace headgate::gateway
