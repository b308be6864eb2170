#include "headgate/gateway/exchange_counters.hpp"

#include "headgate/gateway/exchange.hpp"
#include "headgate/room/line.hpp"

#include <algorithm>
#include <chrono>

namespace headgate::gateway {

ExchangeCounters::ExchangeCounters(observe::Registry& registry, observe::Writer worker,
                                   const CompiledConfig& compiled) {
  routes_.reserve(compiled.routes().size() + 1);
  for (const auto& route : compiled.routes()) routes_.emplace_back(registry, worker, route->name);
  routes_.emplace_back(registry, worker, "-");
  for (const auto& ready : compiled.limits()) {
    const auto counted =
        ready->limit.store == limit::Store::redis ? observe::Counted::in_redis : observe::Counted::in_memory;
    for (const auto& tier : ready->tiers) {
      tiers_.push_back(observe::limit_counters(registry, worker, ready->limit.name, tier.name, counted));
    }
  }
  bans_.reserve(compiled.bans().size());
  for (const auto& limit : compiled.bans()) bans_.push_back(observe::ban_counters(registry, worker, limit));
  for (const auto& room : compiled.rooms())
    rooms_.push_back(observe::room_counters(registry, worker, room->options.rule.name));
}

void ExchangeCounters::count(const Exchange& x, Duration took) const {
  const auto& route = x.route ? routes_[x.route->number] : routes_.back();
  route.count(x.request.method, x.status, took);
  for (const auto& auth_result : x.caller.auth_results) route.count(auth_result);
  if (x.ban) (x.ended_by == EndedBy::ban ? bans_[x.ban->number].refused : bans_[x.ban->number].observed)->add();
  count_limits(x);
  if (x.room.outcome != RoomVisit::Outcome::none) count_visit(x);
}

void ExchangeCounters::count_visit(const Exchange& x) const {
  using Outcome = RoomVisit::Outcome;
  const auto& counters = rooms_[x.route->room->number];
  if (x.room.observed) counters.observed->add();
  if (x.room.outcome == Outcome::admitted) counters.admitted->add();
  if (x.room.outcome == Outcome::lost) counters.lost->add();
  if (x.room.outcome == Outcome::lost || x.room.outcome == Outcome::waiting) counters.waits->add();
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
  const bool rejected = a.outcome == Admission::Outcome::rejected;
  for (const auto& checked : a.limits) {
    const auto& counters = tiers_[checked.tier->number];
    const auto source = static_cast<std::size_t>(checked.source);
    counters.seconds[source]->record(checked.took);
    if (checked.unreadable) counters.unreadable->add();
    const auto units = static_cast<std::uint64_t>(std::max<std::int64_t>(0, checked.used));
    if (checked.rejected) {
      const bool observe = checked.route_limit->limit->mode == limit::Mode::observe;
      (observe ? counters.observed : counters.rejected)[source]->add();
      (observe ? counters.units_observed : counters.units_rejected)->add(units);
    } else if (!rejected) {
      counters.allowed[source]->add();
      counters.units_allowed->add(units);
      const auto* const left = limit::binding({a.decisions.data() + checked.first, checked.count});
      if (observe::is_near(left->remaining, left->limit)) counters.near->add();
    }
  }
}

}  // namespace headgate::gateway
