#include "shards.hpp"

#include "headgate/gateway/snapshot.hpp"
#include "headgate/limit/algorithm.hpp"

#include <algorithm>

namespace headgate::gateway {
namespace {

/// Changes the checks of `checked` so that they use a shard of `key`.
void point_at(Exchange& x, CheckedLimit& checked, std::string_view key, std::uint32_t shard) {
  checked.shard = static_cast<std::uint8_t>(shard);
  ++checked.shards;
  const auto text = shard_key(x.text, key, shard);
  for (std::size_t i = checked.first; i < checked.first + std::size_t{checked.count}; ++i) {
    auto& check = x.admission.checks[i];
    check.key = text;
    check.hash = keyed_hash(text, check.rule->seed);
  }
}

}  // namespace

OtherShards::OtherShards(Exchange& x, Round& round)
    : x_(x), round_(round), soonest_(round.limits().size(), limit::kNever) {
  note_waits();
}

std::optional<bool> OtherShards::ask() {
  while (more_ && turn()) {
    const auto agreed = x_.snapshot->redis->decide_here(round_.checks(), round_.decisions());
    if (!agreed) {
      more_ = !of_buckets();
      before_.assign(round_.decisions().begin(), round_.decisions().end());
      return {};
    }
    if (*agreed) return true;
    note_waits();
  }
  tell_soonest();
  return false;
}

std::optional<bool> OtherShards::said(const Result<bool>& agreed) {
  if (agreed.has_error()) {
    std::ranges::copy(before_, round_.decisions().begin());
    tell_soonest();
    return false;
  }
  if (*agreed) return true;
  note_waits();
  return ask();
}

/// Moves the checks of each rejecting limit to its next shard. Returns false if no shard is left, or if a limit without
/// shards rejects as well.
bool OtherShards::turn() {
  const auto limits = round_.limits();
  for (const auto& checked : limits)
    if (rejects(checked) && (checked.shard == 0 || checked.shards >= checked.tier->shards)) return false;
  for (auto& checked : limits) {
    if (!rejects(checked)) continue;
    const auto key = without_shard(x_.admission.checks[checked.first].key);
    point_at(x_, checked, key, limit::shard_after(checked.shard, checked.tier->shards));
  }
  return true;
}

/// Records, after each further rejection, the shortest wait of each limit.
void OtherShards::note_waits() {
  const auto limits = round_.limits();
  for (std::size_t i = 0; i < limits.size(); ++i)
    if (rejects(limits[i])) soonest_[i] = std::min(soonest_[i], wait_of(limits[i]));
}

/// Returns whether all rejecting limits are buckets, whose permits return one by one.
bool OtherShards::of_buckets() const {
  return std::ranges::all_of(round_.limits(), [&](const CheckedLimit& checked) {
    return !rejects(checked) || x_.admission.checks[checked.first].rule->algorithm->even;
  });
}

/// Sets the wait that the caller is told, because the round stays rejected. The wait is the shortest one of all shards
/// or, if some shards were not asked, the time until each shard has permits.
void OtherShards::tell_soonest() {
  const auto limits = round_.limits();
  for (std::size_t i = 0; i < limits.size(); ++i) {
    if (!rejects(limits[i])) continue;
    const bool all = limits[i].shards >= limits[i].tier->shards;
    for (std::size_t at = limits[i].first; at < limits[i].first + std::size_t{limits[i].count}; ++at) {
      auto& decision = x_.admission.decisions[at];
      decision.retry_after = std::min(decision.retry_after, soonest_[i]);
      if (!all && !decision.allowed)
        decision.retry_after = std::max(decision.retry_after, limit::wait_of_empty(x_.admission.checks[at]));
    }
  }
}

std::span<limit::Decision> OtherShards::decisions_of(const CheckedLimit& checked) const {
  return {x_.admission.decisions.data() + checked.first, checked.count};
}

bool OtherShards::rejects(const CheckedLimit& checked) const {
  return checked.route_limit->limit->mode == limit::Mode::enforce &&
         std::ranges::any_of(decisions_of(checked), [](const auto& decision) { return !decision.allowed; });
}

Duration OtherShards::wait_of(const CheckedLimit& checked) const {
  Duration longest{0};
  for (const auto& decision : decisions_of(checked)) longest = std::max(longest, decision.retry_after);
  return longest;
}

std::string_view shard_key(TextArena& text, std::string_view key, std::uint32_t shard) {
  return text.join({key, "#", text.number(shard)});
}

void use_shard(Exchange& x, CheckedLimit& checked, std::string_view key, limit::ShardTurns& turns) {
  const auto hash = x.admission.checks[checked.first].hash;
  const auto shards = checked.tier->shards;
  point_at(x, checked, key, x.admission.peek ? turns.peek(hash, shards) : turns.next(hash, shards));
}

bool in_shards(const Round& round) noexcept {
  return std::ranges::any_of(round.limits(), [](const CheckedLimit& checked) { return checked.shard != 0; });
}

}  // namespace headgate::gateway
