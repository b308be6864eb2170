#include "limit_states.hpp"

#include "gateway/bodies/amounts.hpp"
#include "limit_key.hpp"
#include "resolved_limit.hpp"
#include "shards.hpp"

#include "headgate/gateway/key_source.hpp"
#include "headgate/limit/balance.hpp"
#include "headgate/limit/in_flight.hpp"
#include "headgate/observe/logs.hpp"

#include <algorithm>
#include <span>
#include <utility>

namespace headgate::gateway {
namespace {

using limit::Check;
using limit::Decision;
using Applies = LimitState::Applies;

/// A limit that is counted, and its checks.
struct Counted {
  std::size_t state = 0;  ///< the index of its state
  const RouteLimit* route_limit = nullptr;
  ResolvedLimit resolved;
  std::vector<Check> checks;
  std::vector<Decision> now{};   ///< decisions for a cost of 0: the current state
  std::vector<Decision> next{};  ///< decisions for the cost of the request
};

std::string per_text(const std::vector<limit::Per>& per) {
  std::string out;
  for (const auto& part : per) out.append(out.empty() ? "" : ", ").append(to_text(part));
  return out;
}

/// Returns whether the key contains a field, whose value may be a secret.
bool has_field(const std::vector<limit::Per>& per) {
  return std::ranges::any_of(per, [](const limit::Per& part) { return part.source->needs == Needs::field; });
}

/// Returns the key as operators write it. A key that replaces a missing one (`if_absent`) begins with the names of its
/// sources. Returns "" if such a key contains a field.
std::string shown_key(const limit::Limit& limit, std::string_view key) {
  const auto& instead = limit.if_absent.instead;
  for (std::size_t i = 0; i < instead.size(); ++i) {
    if (!key.starts_with(limit::IfAbsent::kMarks[i])) continue;
    if (has_field(instead[i])) return {};
    std::string words;
    for (const auto& part : instead[i]) words.append(words.empty() ? "" : "|").append(to_text(part));
    return words.append("=").append(key.substr(1));
  }
  return has_field(limit.per) ? std::string() : std::string(key);
}

std::string rate_text(const Exchange& x, const limit::Rule& rule) {
  if (rule.algorithm == &limit::in_flight) return std::to_string(rule.burst) + " in flight";
  return rate_in_words(x, rule);
}

/// Returns where the count of this tier comes from; empty if the limit has SizeFrom, but something else decided the
/// size.
std::optional<LimitState::Size> told_by(const RouteLimit& route_limit, const CompiledTier* tier) {
  const auto& from = route_limit.limit->size_from;
  if (!from || tier == nullptr) return std::nullopt;
  LimitState::Size out{.from = to_text(from->from), .told = tier->name == to_text(from->from)};
  return out.told || tier == &route_limit.ready->tiers.front() ? std::optional(std::move(out)) : std::nullopt;
}

std::vector<Check> checks_of(Exchange& x, const RouteLimit& route_limit, const ResolvedLimit& resolved, Source source,
                             const limit::ShardTurns& turns) {
  const auto& tier = *resolved.tier;
  const bool sharded = source == Source::redis && tier.shards > 1;
  const auto& rules = source == Source::fallback ? tier.local->current().rules : sharded ? tier.shard : tier.rules;
  auto key = resolved.key;
  if (sharded) key = shard_key(x.text, key, turns.peek(keyed_hash(key, rules.front().seed), tier.shards));
  std::vector<Check> checks;
  checks.reserve(rules.size());
  for (const auto& rule : rules)
    checks.push_back({.rule = &rule,
                      .key = key,
                      .hash = keyed_hash(key, rule.seed),
                      .cost = route_limit.ready->in_flight ? 1 : resolved.cost,
                      .peek = true});
  return checks;
}

std::vector<Check> of_cost(std::vector<Check> checks, std::optional<std::int64_t> cost) {
  for (auto& check : checks) check.cost = cost.value_or(check.cost);
  return checks;
}

/// Returns the checks of all `limits`, and makes room for their decisions.
std::vector<Check> all_of(std::span<Counted> limits, std::optional<std::int64_t> cost) {
  std::vector<Check> out;
  for (const auto& each : limits) {
    const auto own = of_cost(each.checks, cost);
    out.insert(out.end(), own.begin(), own.end());
  }
  return out;
}
void share_out(std::span<Counted> limits, std::span<const Decision> told, std::vector<Decision> Counted::*to) {
  for (auto& each : limits) {
    (each.*to).assign(told.begin(), told.begin() + static_cast<std::ptrdiff_t>(each.checks.size()));
    told = told.subspan(each.checks.size());
  }
}

/// Asks the memory store about one limit alone, so that a rejection by another limit does not change the result.
void look_here(Counted& counted, const LimitStates& where) {
  counted.now.resize(counted.checks.size());
  counted.next.resize(counted.checks.size());
  const auto now = where.clock.wall();
  where.memory.decide(of_cost(counted.checks, 0), now, counted.now);
  where.memory.decide(counted.checks, now, counted.next);
}

/// Asks Redis. Returns false if Redis does not reply.
Task<bool> look_there(Exchange& x, std::span<Counted> limits) {
  auto& redis = *x.snapshot->redis;
  for (const auto cost : {std::optional<std::int64_t>(0), std::optional<std::int64_t>()}) {
    const auto checks = all_of(limits, cost);
    std::vector<Decision> told(checks.size());
    auto call = redis.decide(checks, told);
    const auto agreed = co_await call;
    if (agreed.has_error()) co_return false;
    share_out(limits, told, cost ? &Counted::now : &Counted::next);
    if (*agreed || limits.size() == 1) continue;
    // At least one limit rejects the request. If its rejection was known in advance, Redis was not asked about the
    // other limits. So each limit is now asked alone.
    for (auto& one : limits) {
      auto alone = redis.decide(one.checks, one.next);
      const auto answer = co_await alone;
      if (answer.has_error()) co_return false;
    }
  }
  co_return true;
}

/// Returns the permits that remained before the request, at the time of the decision `next`. The decision `now` is
/// older, so permits that were returned between the two decisions are added. For a leased key both decisions show only
/// the permits that this gateway knows of.
std::uint64_t left_of(const Check& check, const Decision& now, const Decision& next, bool agreed) noexcept {
  const auto cost = static_cast<std::uint64_t>(std::max<std::int64_t>(check.cost, 0));
  if (!next.allowed) return std::min(std::max(now.remaining, next.remaining), std::max<std::uint64_t>(cost, 1) - 1);
  if (!agreed || check.rule->wait > Duration(0)) return now.remaining;
  return now.limit > 0 ? std::min(now.limit, next.remaining + cost) : next.remaining + cost;
}

void describe(const Exchange& x, const Counted& counted, LimitState& out) {
  const bool agreed = std::ranges::all_of(counted.next, [](const Decision& each) { return each.allowed; });
  for (std::size_t i = 0; i < counted.checks.size(); ++i) {
    const auto& rule = *counted.checks[i].rule;
    const auto& now = counted.now[i];
    const auto& next = counted.next[i];
    out.rules.push_back({.name = rule.name,
                         .rate = rate_text(x, rule),
                         .balance = limit::is_balance(rule),
                         .limit = now.limit,
                         .remaining = left_of(counted.checks[i], now, next, agreed),
                         .reset_after = now.reset_after,
                         .allowed = next.allowed,
                         .retry_after = next.retry_after,
                         .delay = next.delay});
  }
}

}  // namespace

Task<std::vector<LimitState>> limit_states(Exchange& x, std::span<const RouteLimit* const> limits, LimitStates where) {
  std::vector<LimitState> out;
  std::vector<Counted> there;
  std::size_t rules = 0;
  for (const auto* route_limit : limits) {
    const auto& limit = *route_limit->limit;
    const auto resolved = resolve_limit(x, *route_limit);
    if (resolved.applies) rules += resolved.tier->rules.size();
    if (rules > limit::kMaxRulesPerRequest) break;
    auto& state = out.emplace_back();
    state.name = limit.name;
    state.unit = limit.unit;
    if (limit.unit == limit::Unit::money) state.currency = currency_of(x);
    state.per = per_text(limit.per);
    state.observed = limit.mode == limit::Mode::observe;
    state.own_key = is_own_key(limit);
    state.source = limit.store == limit::Store::redis ? Source::redis : Source::memory;
    if (resolved.tier) state.tier = resolved.tier->name;
    if (const auto* const granted = resolved.tier ? override_of(x, *route_limit) : nullptr)
      state.override = LimitState::Override{.until = granted->wanted.until, .why = granted->wanted.why};
    state.size = told_by(*route_limit, resolved.tier);
    if (!resolved.applies) {
      state.applies = resolved.exempt        ? Applies::exempt
                      : resolved.key_missing ? Applies::refused
                      : resolved.tier        ? Applies::unlimited
                                             : Applies::skipped;
      continue;
    }
    state.cost = route_limit->ready->in_flight ? 1 : resolved.cost;
    state.key = shown_key(limit, resolved.key);
    state.key_id = observe::key_id(resolved.key);
    state.shards = state.source == Source::redis ? resolved.tier->shards : 1;
    Counted counted{.state = out.size() - 1,
                    .route_limit = route_limit,
                    .resolved = resolved,
                    .checks = checks_of(x, *route_limit, resolved, state.source, where.turns)};
    if (state.source == Source::redis) {
      there.push_back(std::move(counted));
      continue;
    }
    look_here(counted, where);
    describe(x, counted, state);
  }
  if (there.empty()) co_return out;
  auto look = look_there(x, there);
  const bool answered = co_await look;
  for (auto& counted : there) {
    auto& state = out[counted.state];
    if (!answered) {
      state.source = Source::fallback;
      state.shards = 1;
      if (counted.route_limit->limit->if_redis_down != limit::IfRedisDown::count_locally) {
        state.applies = Applies::unknown;
        continue;
      }
      counted.checks = checks_of(x, *counted.route_limit, counted.resolved, Source::fallback, where.turns);
      look_here(counted, where);
    }
    describe(x, counted, state);
  }
  co_return out;
}

}  // namespace headgate::gateway
