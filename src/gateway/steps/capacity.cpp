// The capacity of an upstream: the number of requests that all gateways together may send to it at a time. Its places
// are counted in the stores of limits, but a capacity does not limit a single caller. A request gets no place only if
// there are too many requests from all callers together.

#include "gateway/limits/limit_counters.hpp"
#include "gateway/limits/limit_fields.hpp"
#include "gateway/steps/table.hpp"
#include "shed.hpp"
#include "steps.hpp"

#include "headgate/limit/in_flight.hpp"
#include "headgate/observe/access_log.hpp"
#include "headgate/shed/overload.hpp"

#include <algorithm>
#include <chrono>
#include <optional>
#include <span>

namespace headgate::gateway {
namespace {

using State = CapacityPart::State;

const limit::Rule& rule_in(const CapacitySize& size, Source source) noexcept {
  return source == Source::fallback ? size.share : size.all;
}

/// Returns how many places a priority may use if no places are reserved.
std::uint32_t places_of(const Capacity& capacity, shed::Priority priority, Source source) noexcept {
  return static_cast<std::uint32_t>(
      rule_in(capacity.sizes()[static_cast<std::size_t>(priority)].front(), source).burst);
}

/// Returns the rule for this request's priority, without the places that are reserved for higher priorities.
const limit::Rule& rule_now(const Exchange& x, Source source) noexcept {
  const auto& capacity = *x.route->capacity;
  const auto priority = x.shedding.effective;
  const auto& sizes = capacity.sizes()[static_cast<std::size_t>(priority)];
  const auto* const overload = overload_of(x);
  if (overload == nullptr) return rule_in(sizes.front(), source);
  const auto most =
      overload->ceiling(shed::Layer::fleet, priority, places_of(capacity, shed::Priority::critical, source),
                        places_of(capacity, shed::Priority::normal, source));
  for (const auto& size : sizes)
    if (rule_in(size, source).burst <= most) return rule_in(size, source);
  return rule_in(sizes.back(), source);
}

void ask_of(Exchange& x, Source source) {
  const auto& rule = rule_now(x, source);
  const auto& key = x.route->capacity->upstream;
  x.capacity.source = source;
  x.capacity.asked_at = x.clock->steady();
  x.capacity.check = {
      .rule = &rule, .key = key, .hash = keyed_hash(key, rule.seed), .token = x.flight.token, .peek = x.admission.peek};
}

bool decide_place(Path& path, Exchange& x) {
  auto& place = x.capacity;
  const bool got = path.services.memory.decide({&place.check, 1}, x.clock->wall(), {&place.decision, 1});
  place.took = std::chrono::duration_cast<Duration>(x.clock->steady() - place.asked_at);
  return got;
}

Task<bool> decide_place_in_redis(Path& path, Exchange& x) {
  auto& place = x.capacity;
  const std::span<const limit::Check> checks(&place.check, 1);
  const std::span<limit::Decision> decisions(&place.decision, 1);
  auto call = x.snapshot->redis->decide(checks, decisions);
  const auto agreed = co_await call;
  place.took = std::chrono::duration_cast<Duration>(x.clock->steady() - place.asked_at);
  if (agreed.has_value()) {
    const bool got = *agreed;
    co_return got;
  }
  ask_of(x, Source::fallback);
  co_return decide_place(path, x);
}

/// Tries once to get a place. A request that waits is queued before it asks.
Task<bool> try_place(Path& path, Exchange& x, Turn* turn) {
  auto& place = x.capacity;
  const bool there = x.route->capacity->store == limit::Store::redis;
  ask_of(x, there ? Source::redis : Source::memory);
  const auto batch = [&place] { return Batch{{&place.check, 1}, {&place.decision, 1}, place.source}; };
  if (turn && turn->begin(batch()) != Turn::May::ask) co_return false;
  bool got = false;
  if (there) {
    auto asked = decide_place_in_redis(path, x);
    got = co_await asked;
  } else {
    got = decide_place(path, x);
  }
  if (!got && turn) turn->stays(batch());
  co_return got;
}

std::uint32_t all_places(const Exchange& x) noexcept {
  return places_of(*x.route->capacity, shed::Priority::critical, x.capacity.source);
}

void take(Path& path, Exchange& x) {
  auto& place = x.capacity;
  place.state = State::taken;
  if (x.admission.peek) return;
  if (auto* const overload = overload_of(x)) {
    const auto used = place.check.rule->burst - place.decision.remaining;
    overload->admitted(shed::Layer::fleet, x.shedding.effective,
                       all_places(x) - static_cast<std::uint32_t>(std::min<std::uint64_t>(used, all_places(x))),
                       x.clock->steady());
  }
  x.snapshot->counters->of<CapacityCounters>().places(x, 1);
  path.in_flight->keep(x);
}

/// Returns how many places are reserved for higher priorities. It is not known how many of these are free.
std::uint32_t held_from(const Exchange& x) noexcept {
  if (x.shedding.effective == shed::Priority::critical) return 0;
  const auto others = places_of(*x.route->capacity, shed::Priority::normal, x.capacity.source);
  return others - static_cast<std::uint32_t>(std::min<std::uint64_t>(x.capacity.check.rule->burst, others));
}

void note_refused(const Exchange& x) {
  if (x.admission.peek) return;
  if (auto* const overload = overload_of(x))
    overload->refused(shed::Layer::fleet, x.shedding.effective, held_from(x), all_places(x), x.clock->steady());
}

Problem refuse(Exchange& x) {
  x.capacity.state = State::refused;
  return shed_problem(x, shed::Layer::fleet, seconds_up(limit::kFlightRetry));
}

}  // namespace

bool waits_for_capacity(Path& path, Exchange& x) {
  if (x.client_gone) return false;
  const auto& capacity = *x.route->capacity;
  if (capacity.store == limit::Store::redis) return true;
  ask_of(x, Source::memory);
  if (capacity.queues && path.turns->anyone_waits(x.capacity.check.hash)) return true;
  if (!decide_place(path, x)) return true;
  take(path, x);
  return false;
}

Task<MaybeProblem> wait_for_capacity(Path& path, Exchange& x) {
  const auto& capacity = *x.route->capacity;
  const bool there = capacity.store == limit::Store::redis;
  if (!there && !capacity.queues) {  // waits_for_capacity() has asked the store already, without success
    note_refused(x);
    co_return MaybeProblem(refuse(x));
  }
  if (there && !x.admission.peek) path.in_flight->name(x);
  const auto before = x.flight.waited;
  std::optional<Turn> turn;
  if (capacity.queues && !x.admission.peek) turn.emplace(*path.turns, x, Turn::For::place);
  bool got = false;
  bool left = false;
  // says whether the refusal was counted: at the start of the wait if places are reserved, otherwise at the end
  bool noted = false;
  for (;;) {
    auto tried = try_place(path, x, turn ? &*turn : nullptr);
    got = co_await tried;
    if (!got && !noted && held_from(x) > 0) {
      note_refused(x);
      noted = true;
    }
    if (got || !turn || !turn->waits()) break;
    auto wait = turn->wait();
    co_await wait;
    left = x.client_gone;
    if (left) break;
  }
  if (turn) {
    if (got) turn->admitted();
    const bool waited = turn->has_waited();
    turn.reset();
    if (waited) x.capacity.waited = x.flight.waited - before;
  }
  if (got) {
    take(path, x);
  } else if (!left) {
    if (!noted) note_refused(x);
    co_return MaybeProblem(refuse(x));
  }
  co_return MaybeProblem{};
}

namespace {

void count_capacity(const CapacityCounters& counters, const Exchange& x) {
  const auto& place = x.capacity;
  if (place.state == State::none) return;
  const auto& of_place = counters.of(x);
  const auto source = static_cast<std::size_t>(place.source);
  const bool taken = place.state == State::taken;
  of_place.seconds[source]->record(place.took);
  (taken ? of_place.allowed : of_place.rejected)[source]->add();
  (taken ? of_place.units_allowed : of_place.units_rejected)->add();
  using Seen = observe::LimitSeen::Decision;
  of_place.count({.decision = taken ? Seen::allowed : Seen::rejected,
                  .remaining = place.decision.remaining,
                  .limit = place.decision.limit});
  if (!taken) return of_place.top->rejected(place.check.hash.low, place.check.key);
  of_place.top->allowed(place.check.hash.low, place.check.key);
  if (place.waited && !x.client_gone) of_place.waits->record(*place.waited);
}

}  // namespace

constexpr StepCounts kCapacityCounts = counts_in<CapacityCounters, count_capacity>();

void record_capacity(const Exchange& x, observe::AccessRecord& record) { record.deciding += x.capacity.took; }

}  // namespace headgate::gateway
