#include "gateway/limits/limit_counters.hpp"

#include "gateway/bodies/pricing.hpp"
#include "gateway/limits/shards.hpp"

#include "headgate/core/hash.hpp"
#include "headgate/gateway/cost_source.hpp"
#include "headgate/gateway/exchange.hpp"
#include "headgate/gateway/key_source.hpp"
#include "headgate/observe/families/fleet.hpp"

#include <algorithm>
#include <set>

namespace headgate::gateway {
namespace {

/// The name of all models without a price in metrics, and the largest number of other names for each limit.
constexpr std::string_view kOtherModel = "other";
constexpr std::size_t kMaxModels = 1000;

/// Returns whether a limit or the capacity of the upstream refused the request. If so, the other limits were not
/// charged.
bool is_rejected(const Exchange& x) noexcept {
  return (x.admission.outcome == Admission::Outcome::rejected && !x.admission.late) ||
         x.capacity.state == CapacityPart::State::refused;
}

/// Returns whether all callers share one counter, so that the remaining permits are one number.
bool is_shared_by_all(const CompiledLimit& ready) noexcept {
  const auto& per = ready.limit.per;
  return !ready.in_flight && ready.limit.shards <= 1 && !per.empty() &&
         std::all_of(per.begin(), per.end(), [](const limit::Per& each) { return each.source->word == "total"; });
}

void show_left(const observe::LimitCounters& counters, const Admission& a, const CheckedLimit& checked) {
  const auto* const left = limit::binding({a.decisions.data() + checked.first, checked.count});
  if (left != nullptr) counters.remaining->set(static_cast<double>(left->remaining));
}

void add_to(observe::Gauge& gauge, int more) noexcept { gauge.set(gauge.read() + more); }

/// Returns the limits that some route uses with a cost that only the answer says.
std::set<const CompiledLimit*> settled_limits(const CompiledConfig& compiled) {
  std::set<const CompiledLimit*> out;
  for (const auto* const route : compiled.serving())
    for (const auto& each : route->plan)
      if (is_settled(each.cost) && !each.ready->in_flight) out.insert(each.ready);
  return out;
}

observe::CostSaid said_by(CostFrom from) noexcept {
  return from == CostFrom::answer    ? observe::CostSaid::reported
         : from == CostFrom::counted ? observe::CostSaid::counted
                                     : observe::CostSaid::held;
}

}  // namespace

TierCounters::TierCounters(const Counting& counting) : registry_(counting.registry), worker_(counting.worker) {
  const auto& [registry, worker, compiled] = counting;
  const auto settled = settled_limits(compiled);
  for (const auto& ready : compiled.limits()) {
    const auto counted =
        ready->limit.store == limit::Store::redis ? observe::Counted::in_redis : observe::Counted::in_memory;
    const observe::LimitNature nature{.in_shards = ready->limit.shards > 1};
    for (const auto& tier : ready->tiers) {
      tiers_.push_back(observe::limit_counters(registry, worker, ready->limit.name, tier.name, counted, nature));
      if (is_shared_by_all(*ready)) observe::add_remaining(tiers_.back(), registry, ready->limit.name, tier.name);
      if (ready->limit.appointments) observe::add_appointments(tiers_.back(), registry, worker, ready->limit.name);
      if (settled.contains(ready.get())) observe::add_settled(tiers_.back(), registry, worker, ready->limit.name);
      if (ready->in_flight) observe::add_in_flight(tiers_.back(), registry, worker, ready->limit.name);
      if (ready->in_turn) observe::add_waits(tiers_.back(), registry, worker, ready->limit.name);
    }
  }
}

void TierCounters::permits(const CompiledTier& tier, int more) const noexcept {
  add_to(*tiers_[tier.number].in_flight, more);
}

void TierCounters::holds(const CompiledTier& tier, std::int64_t more) const noexcept {
  auto* const held = tiers_[tier.number].held;
  if (held != nullptr) held->set(held->read() + static_cast<double>(more));
}

observe::Counter& TierCounters::of_model(const std::string& limit, std::string_view model) const {
  auto& of_limit = models_[limit];
  const auto known = of_limit.find(model);
  if (known != of_limit.end()) return *known->second;
  if (of_limit.size() >= kMaxModels && model != kOtherModel) return of_model(limit, kOtherModel);
  return *of_limit.emplace(model, &observe::model_counter(registry_, worker_, limit, model)).first->second;
}

/// Counts a settled cost by its source, and by the model of the call.
void TierCounters::count_settled(const Exchange& x, const CheckedLimit& checked) const {
  const auto& counters = tiers_[checked.tier->number];
  const auto& cost = checked.route_limit->cost;
  if (counters.overdrawn == nullptr || !is_settled(cost) || x.admission.returned) return;
  const auto used = std::max<std::int64_t>(0, checked.used);
  counters.settled[static_cast<std::size_t>(said_by(checked.cost_from))]->add(static_cast<std::uint64_t>(used));
  const auto beyond = used - x.admission.checks[checked.first].cost;
  if (beyond > 0) counters.overdrawn->add(static_cast<std::uint64_t>(beyond));
  if (!cost.from->of_api || used == 0) return;
  const auto* const model = priced_model_of(x);
  of_model(checked.route_limit->limit->name, model != nullptr ? std::string_view(model->name) : kOtherModel)
      .add(static_cast<std::uint64_t>(used));
}

void TierCounters::glitches(const CompiledTier& tier, observe::Source source, bool allowed, std::uint32_t times,
                            std::uint64_t hash, std::string_view key) const {
  const auto& counters = tiers_[tier.number];
  (allowed ? counters.allowed : counters.rejected)[static_cast<std::size_t>(source)]->add();
  (allowed ? counters.units_allowed : counters.units_rejected)->add(times);
  if (allowed)
    counters.top->allowed(hash, key);
  else
    counters.top->rejected(hash, key);
}

// For a rejected request, count only the limits that rejected it: the others were not charged.
void TierCounters::count_limits(const Exchange& x) const {
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
      count_settled(x, checked);
      if (checked.decision == LimitDecision::kept) {  // the request used an appointment, so the limit was not checked
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

CapacityCounters::CapacityCounters(const Counting& counting) {
  const auto& [registry, worker, compiled] = counting;
  upstreams_.resize(compiled.capacities().size());
  for (std::size_t upstream = 0; upstream < upstreams_.size(); ++upstream) {
    const auto* const capacity = compiled.capacities()[upstream].get();
    if (capacity == nullptr) continue;
    const auto counted =
        capacity->store == limit::Store::redis ? observe::Counted::in_redis : observe::Counted::in_memory;
    for (const auto priority : shed::kPriorityWords) {
      auto& counters = upstreams_[upstream].emplace_back(
          observe::limit_counters(registry, worker, capacity->name, priority, counted));
      observe::add_in_flight(counters, registry, worker, capacity->name);
      if (capacity->queues) observe::add_waits(counters, registry, worker, capacity->name);
    }
  }
}

const observe::LimitCounters& CapacityCounters::of(const Exchange& x) const noexcept {
  return upstreams_[x.route->upstream][static_cast<std::size_t>(x.shedding.effective)];
}

void CapacityCounters::places(const Exchange& x, int more) const noexcept { add_to(*of(x).in_flight, more); }

SuspensionCounters::SuspensionCounters(const Counting& counting)
    : registry_(counting.registry), worker_(counting.worker) {
  limits_.reserve(counting.compiled.bans().size());
  for (const auto& limit : counting.compiled.bans()) limits_.push_back(make(limit));
}

SuspensionCounters::OfLimit SuspensionCounters::make(std::string_view limit) const {
  const std::string name(limit);
  return {.refused = &registry_.counter(worker_, observe::family::ban_decisions, {name, "refused"}),
          .observed = &registry_.counter(worker_, observe::family::ban_decisions, {name, "observed"}),
          .top = &registry_.tops(worker_).of(limit)};
}

void SuspensionCounters::count_suspended(const Exchange& x) const {
  const auto& counters = x.suspension.by->policy ? limits_[x.suspension.by->number] : of_operators(*x.suspension.by);
  const bool refused = x.ended_by == EndedBy::ban;
  (refused ? counters.refused : counters.observed)->add();
  if (refused)
    // a request that passes is counted by the limit itself
    counters.top->rejected(keyed_hash(x.suspension.key, 0).low, x.suspension.key);
}

const SuspensionCounters::OfLimit& SuspensionCounters::of_operators(const RouteBan& ban) const {
  const std::string_view name = ban.route_limit->ready->base;
  const auto known = operated_.find(name);
  if (known != operated_.end()) return known->second;
  return operated_.emplace(name, make(name)).first->second;
}

}  // namespace headgate::gateway
