#include "headgate/gateway/exchange_counters.hpp"

#include "gateway/limits/shards.hpp"

#include "headgate/core/hash.hpp"
#include "headgate/gateway/exchange.hpp"
#include "headgate/gateway/key_source.hpp"
#include "headgate/room/line.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

namespace headgate::gateway {
namespace {

/// Whether a limit or the capacity of the upstream refused it: then what other limits let through was not charged.
bool is_rejected(const Exchange& x) noexcept {
  return (x.admission.outcome == Admission::Outcome::rejected && !x.admission.late) ||
         x.capacity.state == CapacityPart::State::refused;
}

/// Whether one counter is that of all callers, so that what is left of it is one number.
bool is_shared_by_all(const CompiledLimit& ready) noexcept {
  const auto& per = ready.limit.per;
  return !ready.in_flight && ready.limit.shards <= 1 && !per.empty() &&
         std::all_of(per.begin(), per.end(), [](const limit::Per& each) { return each.source->word == "total"; });
}

void show_left(const observe::LimitCounters& counters, const Admission& a, const CheckedLimit& checked) {
  const auto* const left = limit::binding({a.decisions.data() + checked.first, checked.count});
  if (left != nullptr) counters.remaining->set(static_cast<double>(left->remaining));
}

}  // namespace

ExchangeCounters::ExchangeCounters(observe::Registry& registry, observe::Writer worker, const CompiledConfig& compiled)
    : made_routes_(registry.routes(worker)),
      routes_(compiled.routes().size() + 1),
      registry_(registry),
      worker_(worker) {
  routes_.back() = observe::RouteCounters(made_routes_.of("-"));
  for (const auto& ready : compiled.limits()) {
    const auto counted =
        ready->limit.store == limit::Store::redis ? observe::Counted::in_redis : observe::Counted::in_memory;
    const observe::LimitNature nature{.in_shards = ready->limit.shards > 1};
    for (const auto& tier : ready->tiers) {
      tiers_.push_back(observe::limit_counters(registry, worker, ready->limit.name, tier.name, counted, nature));
      if (is_shared_by_all(*ready)) observe::add_remaining(tiers_.back(), registry, ready->limit.name, tier.name);
      if (ready->limit.appointments) observe::add_appointments(tiers_.back(), registry, worker, ready->limit.name);
      if (ready->in_flight) observe::add_in_flight(tiers_.back(), registry, worker, ready->limit.name);
      if (ready->in_turn) observe::add_waits(tiers_.back(), registry, worker, ready->limit.name);
    }
  }
  places_.resize(compiled.capacities().size());
  for (std::size_t upstream = 0; upstream < places_.size(); ++upstream) {
    const auto* const capacity = compiled.capacities()[upstream].get();
    if (capacity == nullptr) continue;
    const auto counted =
        capacity->store == limit::Store::redis ? observe::Counted::in_redis : observe::Counted::in_memory;
    for (const auto priority : shed::kPriorityWords) {
      auto& counters =
          places_[upstream].emplace_back(observe::limit_counters(registry, worker, capacity->name, priority, counted));
      observe::add_in_flight(counters, registry, worker, capacity->name);
      if (capacity->queues) observe::add_waits(counters, registry, worker, capacity->name);
    }
  }
  bans_.reserve(compiled.bans().size());
  for (const auto& limit : compiled.bans()) bans_.push_back(observe::ban_counters(registry, worker, limit));
  for (const auto& room : compiled.rooms())
    rooms_.push_back(observe::room_counters(registry, worker, room->options.rule.name));
  make_shedding(registry, worker, compiled);
  make_delivery(registry, worker, compiled);
  const auto& all = compiled.options().routes;
  if (std::ranges::any_of(all, [](const RouteOptions& route) { return route.compression != nullptr; }))
    compression_ = observe::compression_counters(registry, worker, compress::kCodingWords);
}

void ExchangeCounters::make_shedding(observe::Registry& registry, observe::Writer worker,
                                     const CompiledConfig& compiled) {
  const auto& options = compiled.options();
  for (const auto* const route : compiled.serving()) {
    if (!route->takes(Step::shed)) continue;
    if (shed_.size() <= route->upstream) shed_.resize(route->upstream + 1);
    auto& counters = shed_[route->upstream];
    if (counters.refused[0] != nullptr) continue;
    const auto& own = compiled.upstreams()[route->upstream].concurrency;
    counters = observe::shed_counters(registry, worker, route->upstream_name, shed::kLayerWords, shed::kPriorityWords);
    const bool adaptive = own && own->adaptive;
    if (adaptive) observe::add_shed_gauges(registry, worker, route->upstream_name, counters);
    if (adaptive && own->queue) {
      observe::add_queue_numbers(registry, worker, route->upstream_name, counters);
    } else if (route->server_queue && route->server_queue->length > 0) {
      observe::add_queue_numbers(registry, worker, route->upstream_name, counters);
      server_waiting_.resize(shed_.size());
      server_waiting_[route->upstream] = std::exchange(counters.waiting, nullptr);
    }
  }
  if (options.shedding.loop_lag > Duration(0)) loop_lag_ = &observe::loop_lag_gauge(registry, worker);
}

void ExchangeCounters::make_delivery(observe::Registry& registry, observe::Writer worker,
                                     const CompiledConfig& compiled) {
  for (const auto* const route : compiled.serving()) {
    const auto* const delivery = route->delivery.get();
    if (delivery != nullptr && delivery->retry != nullptr) {
      if (retries_.size() <= route->upstream) retries_.resize(route->upstream + 1);
      auto& counters = retries_[route->upstream];
      if (counters.not_paid == nullptr)
        counters = observe::retry_counters(registry, worker, route->upstream_name, kRetryReasons);
    }
    if (delivery != nullptr && delivery->mirror) {
      if (mirrors_.size() <= delivery->mirror_upstream) mirrors_.resize(delivery->mirror_upstream + 1);
      auto& counters = mirrors_[delivery->mirror_upstream];
      if (counters[0] == nullptr) counters = observe::mirror_counters(registry, worker, delivery->mirror->to);
    }
  }
}

void ExchangeCounters::show(std::size_t upstream, shed::Concurrency& concurrency) const noexcept {
  const auto& counters = shed_[upstream];
  if (counters.limit) counters.limit->set(concurrency.limit());
  if (counters.in_flight) counters.in_flight->set(concurrency.in_flight());
  if (counters.waiting && concurrency.queue()) counters.waiting->set(static_cast<double>(concurrency.queue()->size()));
}

void ExchangeCounters::waits(std::size_t upstream, int more) const noexcept {
  if (upstream >= server_waiting_.size() || server_waiting_[upstream] == nullptr) return;
  auto& gauge = *server_waiting_[upstream];
  gauge.set(gauge.read() + more);
}

void ExchangeCounters::permits(const CompiledTier& tier, int more) const noexcept {
  auto& gauge = *tiers_[tier.number].in_flight;
  gauge.set(gauge.read() + more);
}

const observe::LimitCounters& ExchangeCounters::of_place(const Exchange& x) const noexcept {
  return places_[x.route->upstream][static_cast<std::size_t>(x.shedding.effective)];
}

void ExchangeCounters::place(const Exchange& x, int more) const noexcept {
  auto& gauge = *of_place(x).in_flight;
  gauge.set(gauge.read() + more);
}

void ExchangeCounters::clear_gauges() const noexcept {
  for (const auto& counters : shed_) {
    if (counters.limit) counters.limit->set(0);
    if (counters.in_flight) counters.in_flight->set(0);
    if (counters.waiting) counters.waiting->set(0);
  }
  if (loop_lag_) loop_lag_->set(0);
}

const observe::RouteCounters& ExchangeCounters::of_route(const Exchange& x) const {
  if (x.route == nullptr) return routes_.back();
  auto& route = routes_[x.route->number];
  if (!route) route = observe::RouteCounters(made_routes_.of(x.route->name));
  return route;
}

void ExchangeCounters::begin(Exchange& x) const {
  x.counted = &of_route(x);
  x.counted->under_way(1);
}

void ExchangeCounters::count(const Exchange& x, Duration took) const {
  const auto& route = x.counted ? *x.counted : of_route(x);
  const auto waited = x.awaited + x.admission.delay + x.shedding.queued + x.flight.waited;
  route.count(x.request.method, x.status,
              {.whole = took,
               .overhead = took - waited,
               .received = x.body_bytes,
               .sent = x.reply != nullptr ? x.reply->bytes_sent() : 0});
  if (x.counted) route.under_way(-1);
  if (x.trace && x.trace->context.sampled) route.traced(x.trace->id(), took, x.clock->wall());
  for (const auto& auth_result : x.caller.auth_results) route.count(auth_result);
  if (x.grpc_status != observe::GrpcStatus::none) route.count(x.grpc_status);
  if (!x.admission.limits.empty()) count_limits(x);
  if (x.suspension.by) count_ban(x);
}

void ExchangeCounters::glitches(const CompiledTier& tier, observe::Source source, bool allowed, std::uint32_t times,
                                std::uint64_t hash, std::string_view key) const {
  const auto& counters = tiers_[tier.number];
  (allowed ? counters.allowed : counters.rejected)[static_cast<std::size_t>(source)]->add();
  (allowed ? counters.units_allowed : counters.units_rejected)->add(times);
  if (allowed)
    counters.top->allowed(hash, key);
  else
    counters.top->rejected(hash, key);
}

void ExchangeCounters::count_ban(const Exchange& x) const {
  const auto& counters = x.suspension.by->policy ? bans_[x.suspension.by->number] : of_operators(*x.suspension.by);
  const bool refused = x.ended_by == EndedBy::ban;
  (refused ? counters.refused : counters.observed)->add();
  if (refused)
    counters.top->rejected(keyed_hash(x.suspension.key, 0).low, x.suspension.key);  // else its limit counted it
}

const observe::BanCounters& ExchangeCounters::of_operators(const RouteBan& ban) const {
  const std::string_view name = ban.route_limit->ready->base;
  const auto known = operated_.find(name);
  if (known != operated_.end()) return known->second;
  return operated_.emplace(name, observe::ban_counters(registry_, worker_, name)).first->second;
}

void ExchangeCounters::room(const CompiledRoom& room, const room::Knowledge& knowledge) const {
  const auto& counters = rooms_[room.number];
  const auto wait = knowledge.wait(room.options.rule, knowledge.next());
  counters.waiting->set(static_cast<double>(knowledge.next() - knowledge.serving()));
  counters.inside->set(static_cast<double>(room::inside_of(knowledge.taken())));
  if (wait) counters.seconds->set(std::chrono::duration<double>(*wait).count());
}

// Of a rejected request only the limits that rejected it are counted: the others were not charged.
void ExchangeCounters::count_limits(const Exchange& x) const {
  const auto& a = x.admission;
  const bool rejected = is_rejected(x);
  for (const auto& checked : a.limits) {
    const auto& counters = tiers_[checked.tier->number];
    const auto source = static_cast<std::size_t>(checked.source);
    counters.seconds[source]->record(checked.took);
    observe::LimitSeen seen{.unreadable_cost = checked.cost_from == CostFrom::unreadable,
                            .other_shard = checked.shards > 1};
    const auto units = static_cast<std::uint64_t>(std::max<std::int64_t>(0, checked.used));
    if (checked.decision == LimitDecision::rejected) {
      seen.decision = observe::LimitSeen::Decision::rejected;
      const bool observe = checked.route_limit->limit->mode == limit::Mode::observe;
      (observe ? counters.observed : counters.rejected)[source]->add();
      if (checked.refused == 0) {
        (observe ? counters.units_observed : counters.units_rejected)->add(units);
      } else {
        (observe ? counters.units_observed : counters.units_rejected)->add(static_cast<std::uint64_t>(checked.refused));
        counters.units_allowed->add(units);
      }
      const auto [hash, key] = counted_key(a, checked);
      counters.top->rejected(hash, key);
    } else if (!rejected) {
      counters.allowed[source]->add();
      counters.units_allowed->add(units);
      const auto [hash, key] = counted_key(a, checked);
      counters.top->allowed(hash, key);
      if (checked.decision == LimitDecision::kept) {  // its decision is about the appointment, not about the limit
        counters.appointments[static_cast<std::size_t>(observe::AppointmentEvent::kept)]->add();
        seen.decision = observe::LimitSeen::Decision::kept;
      } else {
        const auto* const left = limit::binding({a.decisions.data() + checked.first, checked.count});
        seen.decision = observe::LimitSeen::Decision::allowed;
        seen.remaining = left->remaining;
        seen.limit = left->limit;
      }
    }
    if (counters.remaining != nullptr) show_left(counters, a, checked);
    counters.count(seen);
  }
}

}  // namespace headgate::gateway
