#include "headgate/gateway/meters.hpp"

#include "headgate/gateway/exchange.hpp"

#include <algorithm>

namespace headgate::gateway {

Meters::Meters(observe::Registry& registry, observe::Writer worker, const Site& site) {
  routes_.reserve(site.routes().size() + 1);
  for (const auto& route : site.routes()) routes_.emplace_back(registry, worker, route->name);
  routes_.emplace_back(registry, worker, "-");
  for (const auto& ready : site.limits()) {
    const auto counted =
        ready->limit.store == limit::Store::redis ? observe::Counted::in_redis : observe::Counted::in_memory;
    for (const auto& tier : ready->tiers) {
      tiers_.push_back(observe::limit_cells(registry, worker, ready->limit.name, tier.name, counted));
    }
  }
}

void Meters::count(const Exchange& x, Duration took) const {
  const auto& route = x.route ? routes_[x.route->number] : routes_.back();
  route.count(x.request.method, x.status, took);
  for (const auto& proof : x.caller.proofs) route.count(proof);
  count_limits(x);
}

// Of a refused request only the limits that refused it are counted: the others were not charged.
void Meters::count_limits(const Exchange& x) const {
  const auto& a = x.admission;
  const bool rejected = a.outcome == Admission::Outcome::rejected;
  for (const auto& asked : a.limits) {
    const auto& cells = tiers_[asked.tier->number];
    const auto source = static_cast<std::size_t>(asked.source);
    cells.seconds[source]->record(asked.took);
    if (asked.unreadable) cells.unreadable->add();
    const auto units = static_cast<std::uint64_t>(std::max<std::int64_t>(0, asked.used));
    if (asked.refused) {
      const bool trial = asked.planned->limit->mode == limit::Mode::observe;
      (trial ? cells.observed : cells.rejected)[source]->add();
      (trial ? cells.units_observed : cells.units_rejected)->add(units);
    } else if (!rejected) {
      cells.allowed[source]->add();
      cells.units_allowed->add(units);
      const auto* const left = limit::binding({a.verdicts.data() + asked.first, asked.count});
      if (observe::is_near(left->remaining, left->limit)) cells.near->add();
    }
  }
}

}  // namespace headgate::gateway
