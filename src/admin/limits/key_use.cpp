#include "key_use.hpp"

#include "headgate/core/hash.hpp"
#include "headgate/core/task.hpp"
#include "headgate/limit/algorithm.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace headgate::admin {
namespace {

using limit::Check;
using limit::Decision;

// Maximum number of counters that are read for one key. That is enough, because a busy key takes permits from all of
// its counters.
constexpr std::uint32_t kMaxShards = 16;

/// One key of a limit, and everything that is needed to read its counters.
struct LookedFor {
  std::shared_ptr<const services::ActiveConfig> active;  ///< Keeps the limit alive.
  const gateway::CompiledLimit* limit = nullptr;
  std::string key;
};

/// Returns checks that read the counters of a key under one tier, without taking anything.
std::vector<Check> looks_of(const std::vector<limit::Rule>& rules, std::string_view key) {
  std::vector<Check> out;
  out.reserve(rules.size());
  for (const auto& rule : rules)
    out.push_back({.rule = &rule, .key = key, .hash = keyed_hash(key, rule.seed), .cost = 0, .peek = true});
  return out;
}

bool any_taken(const std::vector<Decision>& decisions) {
  return std::ranges::any_of(decisions, [](const Decision& each) { return each.remaining < each.limit; });
}

bool used_here(limit::MemoryStore& memory, const LookedFor& wanted) {
  return std::ranges::any_of(wanted.limit->tiers, [&](const gateway::CompiledTier& tier) {
    const auto checks = looks_of(tier.rules, wanted.key);
    std::vector<Decision> decisions(checks.size());
    if (!checks.empty()) memory.decide(checks, now(), decisions);
    return any_taken(decisions);
  });
}

/// Returns whether the key has a counter in Redis. Also returns true if Redis does not answer.
Task<bool> used_there(redis::SharedLimiter& redis, const LookedFor& wanted) {
  for (const auto& tier : wanted.limit->tiers) {
    const bool sharded = tier.shards > 1;
    const auto shards = sharded ? std::min(tier.shards, kMaxShards) : 1;
    for (std::uint32_t shard = 1; shard <= shards; ++shard) {
      const auto key = sharded ? wanted.key + '#' + std::to_string(shard) : wanted.key;
      const auto checks = looks_of(sharded ? tier.shard : tier.rules, key);
      if (checks.empty()) continue;
      std::vector<Decision> decisions(checks.size());
      auto call = redis.decide(checks, decisions);
      const auto told = co_await call;
      if (told.has_error() || any_taken(decisions)) co_return true;
    }
  }
  co_return false;
}

std::string warning_of(bool used) {
  return used ? std::string()
              : "Nobody has used this key recently, and the configuration names no such caller. Check its spelling.";
}

Task<void> use_in_redis(std::shared_ptr<redis::SharedLimiter> redis, LookedFor wanted, KeyUse::Tell tell) {
  auto looking = used_there(*redis, wanted);
  const bool used = co_await looking;
  tell(warning_of(used));
}

/// Returns whether the configuration has an API key of this owner. For a limit that counts by `total`, always true.
bool in_configuration(const services::ActiveConfig& active, const limit::Limit& limit, std::string_view key) {
  if (counts_by(limit, "total")) return true;
  const auto& records = active.credentials->api_keys().records();
  if (counts_by(limit, "api_key"))
    return std::ranges::any_of(records, [&](const auto& each) { return each.owner == key; });
  return counts_by(limit, "group:") &&
         std::ranges::any_of(records, [&](const auto& each) { return each.group(limit.per.front().name) == key; });
}

}  // namespace

void KeyUse::ask(const std::string& limit, const std::string& key, Tell tell) const {
  LookedFor wanted{.active = board_.now().active, .key = key};
  wanted.limit = compiled_limit(*wanted.active->compiled, limit);
  if (wanted.limit == nullptr) return tell("No route uses this limit, so it counts nobody.");
  const auto& of = wanted.limit->limit;
  const auto same = [&](std::string_view each) { return each == key; };
  if (is_block(of, key) || in_configuration(*wanted.active, of, key) || top_.find(limit, same)) return tell({});
  // Permits in flight are held only for moments, so a missing counter means nothing.
  if (wanted.limit->in_flight) return tell({});
  if (of.store == limit::Store::memory) return tell(warning_of(used_here(memory_, wanted)));
  with_redis_([wanted = std::move(wanted), tell = std::move(tell)](std::shared_ptr<redis::SharedLimiter> redis) {
    if (redis) return spawn(use_in_redis(std::move(redis), wanted, tell), "key use");
    tell({});
  });
}

}  // namespace headgate::admin
