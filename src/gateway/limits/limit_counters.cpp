#include "gateway/limits/limit_counters.hpp"

#include "gateway/limits/shards.hpp"

#include "headgate/core/hash.hpp"
#include "headgate/gateway/exchange.hpp"
#include "headgate/gateway/key_source.hpp"
#include "headgate/observe/families/fleet.hpp"

#include <algorithm>

namespace headgate::gateway {
namespace {

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

}  // namespace

TierCounters::TierCounters(const Counting& counting) {
  const auto& [registry, worker, compiled] = counting;
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
}

void TierCounters::permits(const CompiledTier& tier, int more) const noexcept {
  add_to(*tiers_[tier.number].in_flight, more);
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
