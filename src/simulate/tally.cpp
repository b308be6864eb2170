#include "headgate/simulate/tally.hpp"

#include "rate_text.hpp"

#include "headgate/gateway/bodies/assumed_cost.hpp"
#include "headgate/gateway/key_source.hpp"
#include "headgate/services/written_key.hpp"

#include <algorithm>
#include <utility>

namespace headgate::simulate {
namespace {

using gateway::CheckedLimit;
using gateway::EndedBy;
using gateway::Exchange;
using gateway::LimitDecision;

/// Maximum number of arrivals for which a bit is kept, in at most 128 MiB.
constexpr std::uint64_t kMaxKept = std::uint64_t{1} << 30U;

bool has(Exchange& x, const std::vector<limit::Per>& per) {
  return std::ranges::all_of(per, [&](const auto& each) { return !each.source->value(x, each.name).empty(); });
}

/// Returns whether the request lacks the key that the limit counts by.
bool is_absent(Exchange& x, const limit::Limit& limit) {
  return !has(x, limit.per) &&
         std::ranges::none_of(limit.if_absent.instead, [&](const auto& each) { return has(x, each); });
}

/// Returns the caller's key, without the number of the shard that was chosen for it.
std::string_view key_of(const gateway::Admission& a, const CheckedLimit& checked) noexcept {
  const auto key = a.checks[checked.first].key;
  return checked.shard == 0 ? key : key.substr(0, key.rfind('#'));
}

/// Returns whether neither the log nor the exchange says the cost of the request in this limit.
bool has_unknown_cost(const Exchange& x, const gateway::RouteLimit& each) {
  const auto* const from = each.cost.from;
  if (from == nullptr || (!gateway::is_settled(each.cost) && from->body != gateway::ReadsBody::request)) return false;
  return !gateway::assumed_cost_of(x, each) && !from->told(x, each.cost).cost;
}

bool is_refusal(EndedBy ended_by) noexcept {
  return ended_by == EndedBy::limit || ended_by == EndedBy::ban || ended_by == EndedBy::waiting_room ||
         ended_by == EndedBy::shed || ended_by == EndedBy::circuit;
}

}  // namespace

struct RunTally::OneTier {
  explicit OneTier(TalliedKeys::Room& room) : keys(room) {}

  std::uint64_t requests = 0;
  std::uint64_t rejected = 0;
  std::uint64_t delayed = 0;
  Duration delay{0};
  Duration longest_delay{0};
  TalliedKeys keys;
  Series requests_series;
  Series rejected_series;
  Minutes minutes;

  void waited(Duration time) {
    ++delayed;
    delay += time;
    longest_delay = std::max(longest_delay, time);
  }
};

struct RunTally::OneLimit {
  explicit OneLimit(TalliedKeys::Room& room) : banned_keys(room) {}

  std::uint64_t undecided = 0;
  std::uint64_t replaced = 0;
  std::uint64_t costs_unknown = 0;
  std::uint64_t banned = 0;
  TalliedKeys banned_keys;
};

struct RunTally::OneRoom {
  std::uint64_t admitted = 0;
  std::uint64_t waiting = 0;
};

struct RunTally::OneUpstream {
  std::uint64_t refused = 0;
  std::uint64_t queued = 0;
};

RunTally::RunTally(std::shared_ptr<const gateway::CompiledConfig> compiled, Keep keep)
    : compiled_(std::move(compiled)), keep_(keep) {
  for (const auto& ready : compiled_->limits()) {
    for (std::size_t i = 0; i < ready->tiers.size(); ++i) {
      tiers_.emplace_back(room_);
      limit_of_tier_.push_back(limits_.size());
    }
    limits_.emplace_back(room_);
  }
  rooms_.resize(compiled_->rooms().size());
  upstreams_.resize(compiled_->upstreams().size());
}

RunTally::~RunTally() = default;

void RunTally::add(const engine::ArrivalResult& decided) {
  auto& x = decided.exchange;
  if (keep_ == Keep::counts) return count(x.admission);
  const bool refused = is_refusal(decided.ended_by);
  ++ended_by_[static_cast<std::size_t>(decided.ended_by)];
  const auto part = timeline_.part_of(x.clock->wall() - decided.took);
  requests_.add(timeline_, part);
  if (refused) {
    ++refused_count_;
    refused_series_.add(timeline_, part);
  }
  if (keep_ == Keep::each_request) note(decided.number, refused);
  if (!x.admission.limits.empty()) add_limits(x, part);
  if (x.route == nullptr) return;
  if (x.admission.limits.size() < x.route->plan.size() && !x.preflight && decided.call == nullptr) look_for_absent(x);
  if (x.used) add_extras(x);
}

void RunTally::count(const gateway::Admission& a) {
  for (const auto& checked : a.limits) {
    auto& tier = tiers_[checked.tier->number];
    ++tier.requests;
    if (checked.decision == LimitDecision::rejected) ++tier.rejected;
  }
}

void RunTally::add_limits(const Exchange& x, std::size_t part) {
  const auto& a = x.admission;
  const bool passed = a.outcome == gateway::Admission::Outcome::allowed;
  for (const auto& checked : a.limits) {
    auto& tier = tiers_[checked.tier->number];
    const bool rejected = checked.decision == LimitDecision::rejected;
    const auto key = key_of(a, checked);
    ++tier.requests;
    tier.requests_series.add(timeline_, part);
    if (!tier.keys.add(key, rejected)) ++uncounted_;
    if (!key.empty() && static_cast<unsigned char>(key.front()) <= limit::IfAbsent::kMaxInstead)
      ++limits_[limit_of_tier_[checked.tier->number]].replaced;
    if (has_unknown_cost(x, *checked.route_limit)) ++limits_[limit_of_tier_[checked.tier->number]].costs_unknown;
    if (rejected) {
      ++tier.rejected;
      tier.rejected_series.add(timeline_, part);
      tier.minutes.add(checked.asked_at_wall);
    } else if (passed && a.delay > Duration(0)) {
      Duration own{0};
      for (std::size_t i = 0; i < checked.count; ++i) own = std::max(own, a.decisions[checked.first + i].delay);
      if (own > Duration(0)) tier.waited(own);
    }
  }
}

// Counts the request as undecided for each limit of the route that has not checked it and whose key it lacks. If the
// request has the key, the limit could have decided, and only an earlier step prevented that.
void RunTally::look_for_absent(Exchange& x) {
  const auto& asked = x.admission.limits;
  for (const auto& each : x.route->plan) {
    if (std::ranges::any_of(asked, [&](const auto& checked) { return checked.route_limit == &each; })) continue;
    if (is_absent(x, *each.limit)) ++limits_[limit_of_tier_[each.ready->tiers.front().number]].undecided;
  }
}

void RunTally::add_extras(const Exchange& x) {
  if (const auto* const by = x.suspension.by) {
    auto& limit = limits_[limit_of_tier_[by->route_limit->ready->tiers.front().number]];
    ++limit.banned;
    if (!limit.banned_keys.add(x.suspension.key, true)) ++uncounted_;
  }
  const auto for_permit = x.flight.waited - x.capacity.waited.value_or(Duration(0));
  if (const auto* const tier = x.flight.waited_for)
    if (x.admission.outcome == gateway::Admission::Outcome::allowed && for_permit > Duration(0))
      tiers_[tier->number].waited(for_permit);
  if (x.route->room != nullptr && x.room.outcome != gateway::RoomOutcome::none) {
    auto& room = rooms_[x.route->room->number];
    const bool waits = x.room.outcome == gateway::RoomOutcome::waiting ||
                       x.room.outcome == gateway::RoomOutcome::lost || x.room.observed;
    if (waits)
      ++room.waiting;
    else if (x.room.outcome == gateway::RoomOutcome::admitted)
      ++room.admitted;
  }
  if (x.route->upstream >= upstreams_.size()) return;
  auto& upstream = upstreams_[x.route->upstream];
  if (x.shedding.layer || x.capacity.state == gateway::CapacityPart::State::refused)
    ++upstream.refused;
  else if (x.shedding.queued > Duration(0) || x.capacity.waited.value_or(Duration(0)) > Duration(0))
    ++upstream.queued;
}

void RunTally::note(std::uint64_t number, bool refused) {
  if (number >= kMaxKept) return;
  if (number >= refused_.size()) refused_.resize(std::max<std::uint64_t>(number + 1, refused_.size()));
  refused_[number] = refused;
}

const gateway::CompiledLimit* RunTally::limit(std::string_view name) const noexcept {
  for (const auto& ready : compiled_->limits())
    if (ready->limit.name == name) return ready.get();
  return nullptr;
}

const TalliedKeys& RunTally::keys(const gateway::CompiledTier& tier) const noexcept { return tiers_[tier.number].keys; }

std::uint64_t RunTally::requests(const gateway::CompiledTier& tier) const noexcept {
  return tiers_[tier.number].requests;
}
std::uint64_t RunTally::rejected(const gateway::CompiledTier& tier) const noexcept {
  return tiers_[tier.number].rejected;
}

std::vector<KeyFigures> RunTally::worst_of(const gateway::CompiledLimit& limit) const {
  struct Found {
    std::uint64_t digest;
    KeyCount count;
    const gateway::CompiledTier* tier;
  };
  // Keys with equal counts are ordered by their text, if it is known. Their digests differ from run to run, so that
  // order would, too.
  const auto worse = [this](const Found& a, const Found& b) {
    if (a.count.rejected != b.count.rejected) return a.count.rejected > b.count.rejected;
    if (a.count.requests != b.count.requests) return a.count.requests > b.count.requests;
    return keys(*a.tier).text(a.digest) < keys(*b.tier).text(b.digest);
  };
  std::vector<Found> heap;  // the key with the fewest rejections is at the front
  for (const auto& tier : limit.tiers) {
    keys(tier).each([&](std::uint64_t digest, const KeyCount& count) {
      if (count.rejected == 0) return;
      const Found found{digest, count, &tier};
      if (heap.size() == LimitFigures::kWorst) {
        if (!worse(found, heap.front())) return;
        std::ranges::pop_heap(heap, worse);
        heap.pop_back();
      }
      heap.push_back(found);
      std::ranges::push_heap(heap, worse);
    });
  }
  std::ranges::sort_heap(heap, worse);
  std::vector<KeyFigures> out;
  out.reserve(heap.size());
  for (const auto& each : heap)
    out.push_back({services::written_key(limit.limit, keys(*each.tier).text(each.digest)), each.tier->name,
                   each.count.requests, each.count.rejected});
  return out;
}

Figures RunTally::figures() const {
  Figures out;
  out.refused = refused_count_;
  out.series_begin = timeline_.begin();
  out.series_width = timeline_.width();
  out.requests_series = requests_.counts(timeline_);
  out.refused_series = refused_series_.counts(timeline_);
  out.uncounted_keys = uncounted_;
  for (std::size_t i = 0; i < ended_by_.size(); ++i)
    if (ended_by_[i] > 0) out.ended_by.emplace_back(to_text(static_cast<EndedBy>(i)), ended_by_[i]);
  std::ranges::stable_sort(out.ended_by, [](const auto& a, const auto& b) { return a.second > b.second; });
  for (std::size_t i = 0; i < limits_.size(); ++i) {
    const auto& ready = *compiled_->limits()[i];
    const auto& found = limits_[i];
    auto& limit = out.limits.emplace_back();
    limit.name = ready.limit.name;
    limit.base = ready.base;
    limit.per = services::key_words(ready.limit.per);
    limit.observed = ready.limit.mode == limit::Mode::observe;
    limit.undecided = found.undecided;
    limit.replaced = found.replaced;
    limit.costs_unknown = found.costs_unknown;
    limit.banned = found.banned;
    limit.keys_banned = found.banned_keys.size();
    for (const auto& tier : ready.tiers) {
      const auto& one = tiers_[tier.number];
      auto& told = limit.tiers.emplace_back();
      told.name = tier.name;
      for (const auto& rule : tier.rules) told.rates.push_back(rate_text(rule));
      told.requests = one.requests;
      told.rejected = one.rejected;
      told.keys = one.keys.size();
      told.keys_rejected = one.keys.rejected();
      told.delayed = one.delayed;
      told.delay = one.delay;
      told.longest_delay = one.longest_delay;
      told.worst = one.minutes.worst();
      told.minutes_rejecting = one.minutes.minutes();
      told.requests_series = one.requests_series.counts(timeline_);
      told.rejected_series = one.rejected_series.counts(timeline_);
      out.keys += told.keys;
    }
    limit.worst = worst_of(ready);
  }
  for (std::size_t i = 0; i < rooms_.size(); ++i)
    out.rooms.push_back({compiled_->rooms()[i]->options.rule.name, rooms_[i].admitted, rooms_[i].waiting});
  for (std::size_t i = 0; i < upstreams_.size(); ++i)
    if (upstreams_[i].refused + upstreams_[i].queued > 0)
      out.upstreams.push_back({compiled_->upstreams()[i].name, upstreams_[i].refused, upstreams_[i].queued});
  return out;
}

std::uint64_t LimitFigures::requests() const noexcept {
  std::uint64_t all = 0;
  for (const auto& tier : tiers) all += tier.requests;
  return all;
}

std::uint64_t LimitFigures::rejected() const noexcept {
  std::uint64_t all = 0;
  for (const auto& tier : tiers) all += tier.rejected;
  return all;
}

}  // namespace headgate::simulate
