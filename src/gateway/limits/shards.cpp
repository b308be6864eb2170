#include "shards.hpp"

#include "headgate/limit/algorithm.hpp"

#include <boost/container/static_vector.hpp>

#include <algorithm>

namespace headgate::gateway {
namespace {

/// Changes the checks of `checked` to a shard of `key`.
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

/// A rejected round, and the shards of its limits that were not asked yet.
class RejectedRound {
 public:
  RejectedRound(Exchange& x, Round& round) : x_(x), round_(round), soonest_(round.limits().size(), limit::kNever) {
    note_waits();
  }

  /// Sends the checks of each rejecting limit to its next shard. False if no shard is left, or if a limit without
  /// shards rejects, too.
  bool turn() {
    const auto limits = round_.limits();
    for (std::size_t i = 0; i < limits.size(); ++i)
      if (rejects(limits[i]) && (limits[i].shard == 0 || limits[i].shards >= limits[i].tier->shards)) return false;
    for (auto& checked : limits) {
      if (!rejects(checked)) continue;
      const auto key = without_shard(x_.admission.checks[checked.first].key);
      point_at(x_, checked, key, limit::shard_after(checked.shard, checked.tier->shards));
    }
    return true;
  }

  /// Call it after each further rejection.
  void note_waits() {
    const auto limits = round_.limits();
    for (std::size_t i = 0; i < limits.size(); ++i)
      if (rejects(limits[i])) soonest_[i] = std::min(soonest_[i], wait_of(limits[i]));
  }

  /// Whether permits of all limits that reject come back one by one.
  bool of_buckets() const {
    return std::ranges::all_of(round_.limits(), [&](const CheckedLimit& checked) {
      return !rejects(checked) || x_.admission.checks[checked.first].rule->algorithm->even;
    });
  }

  /// It stays rejected: tells the shortest wait of all shards, or if some were not asked, when each has permits.
  void tell_soonest() {
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

 private:
  std::span<limit::Decision> decisions_of(const CheckedLimit& checked) const {
    return {x_.admission.decisions.data() + checked.first, checked.count};
  }
  bool rejects(const CheckedLimit& checked) const {
    return checked.route_limit->limit->mode == limit::Mode::enforce &&
           std::ranges::any_of(decisions_of(checked), [](const auto& decision) { return !decision.allowed; });
  }
  Duration wait_of(const CheckedLimit& checked) const {
    Duration longest{0};
    for (const auto& decision : decisions_of(checked)) longest = std::max(longest, decision.retry_after);
    return longest;
  }

  Exchange& x_;
  Round& round_;
  boost::container::static_vector<Duration, Admission::kMax> soonest_;  ///< the shortest wait of each limit
};

}  // namespace

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

/// A shard rejected, and another may have permits. Shards that are known to reject are passed over. Of a bucket one
/// more is asked: the second call finds most of what the first one missed, and how long an empty bucket waits is known.
/// Of others all are asked. So the wait that is told holds at each gateway, whichever shards it asks. An error leaves
/// the rejection as it is.
Task<Result<bool>> ask_other_shards(Exchange& x, Round& round) {
  auto& redis = *x.snapshot->redis;
  RejectedRound rejected(x, round);
  bool more = true;
  while (more && rejected.turn()) {
    auto agreed = redis.decide_here(round.checks(), round.decisions());
    if (!agreed) {
      more = !rejected.of_buckets();
      const std::vector<limit::Decision> before(round.decisions().begin(), round.decisions().end());
      const auto answer = co_await redis.decide(round.checks(), round.decisions());
      if (answer.has_error()) {
        std::ranges::copy(before, round.decisions().begin());
        break;
      }
      agreed = *answer;
    }
    if (*agreed) co_return true;
    rejected.note_waits();
  }
  rejected.tell_soonest();
  co_return false;
}

}  // namespace headgate::gateway
