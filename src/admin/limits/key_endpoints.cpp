#include "admin/endpoint_groups.hpp"
#include "key_reader.hpp"
#include "limit_keys.hpp"

#include "headgate/core/hash.hpp"
#include "headgate/core/moment_text.hpp"
#include "headgate/core/task.hpp"
#include "headgate/core/text.hpp"
#include "headgate/gateway/key_source.hpp"
#include "headgate/limit/algorithm.hpp"
#include "headgate/limit/balance.hpp"
#include "headgate/limit/unit_text.hpp"
#include "headgate/services/ban_json.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <optional>
#include <utility>

namespace headgate::admin {
namespace {

using KeyJson = nlohmann::ordered_json;
using limit::Check;
using limit::Decision;

/// Maximum number of times that a burst is given back to a counter with a debt. If the debt is larger, a part of it
/// stays.
constexpr int kMaxResetRounds = 64;
constexpr int kMaxKeyCalls = 16;  ///< Maximum number of calls that wait for Redis.

enum class Do : bool { look, reset };

/// A question about one key.
struct KeyQuestion {
  std::shared_ptr<const services::ActiveConfig> active;  ///< Keeps the tier alive.
  const gateway::CompiledLimit* limit = nullptr;
  const gateway::CompiledTier* tier = nullptr;
  /// The largest tier, if the size depends on the credential of the caller, which the key does not tell; else null.
  std::shared_ptr<const gateway::CompiledTier> largest;
  const gateway::OverrideTable::Granted* granted = nullptr;  ///< The override of the key; null if it has none.
  std::optional<limit::BanTable::Found> suspended;
  std::string key;
  std::string named;  ///< The key as answers show it.
  std::string id;
  std::uint32_t shard = 0;  ///< Number of one of the key's counters; 0 if the key has a single counter.
  Do what = Do::look;

  /// The number of counters of the key.
  std::uint32_t shards() const { return limit->limit.store == limit::Store::redis ? tier->shards : 1; }
  const std::vector<limit::Rule>& rules() const { return shard == 0 ? tier->rules : tier->shard; }
  /// Returns the question about one of the key's several counters.
  KeyQuestion of_shard(std::uint32_t number) const {
    auto out = *this;
    out.shard = number;
    out.key += '#' + std::to_string(number);
    return out;
  }
  std::vector<Check> checks(std::int64_t cost, bool peek) const {
    std::vector<Check> out;
    out.reserve(rules().size());
    for (const auto& rule : rules())
      out.push_back({.rule = &rule, .key = key, .hash = keyed_hash(key, rule.seed), .cost = cost, .peek = peek});
    return out;
  }
  /// Returns checks that give back one full burst, the largest use of a counter without a debt.
  std::vector<Check> give_backs() const {
    auto out = checks(0, false);
    for (auto& check : out) check.cost = -static_cast<std::int64_t>(check.rule->burst);
    return out;
  }
};

/// For each rule, what remains now, and the decision on one more request.
struct KeyState {
  std::vector<Decision> now;
  std::vector<Decision> next;
};

bool is_full(const std::vector<Decision>& decisions) {
  return std::all_of(decisions.begin(), decisions.end(), [](const auto& each) { return each.remaining >= each.limit; });
}
bool same(const std::vector<Decision>& a, const std::vector<Decision>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), [](const auto& one, const auto& other) {
    return one.remaining == other.remaining && one.reset_after <= other.reset_after &&
           other.reset_after - one.reset_after < std::chrono::seconds(1);
  });
}

Duration longest_wait(const KeyState& state) {
  Duration out{0};
  for (const auto& each : state.next)
    if (!each.allowed) out = std::max(out, each.retry_after);
  return out;
}

/// Sums the counters of a key. If a counter rejects a request, the request tries another one, so the decision is that
/// of the best counter.
KeyState sum_of(const std::vector<KeyState>& shards) {
  auto out = shards.front();
  for (std::size_t i = 1; i < shards.size(); ++i) {
    const auto& each = shards[i];
    for (std::size_t rule = 0; rule < out.now.size(); ++rule) {
      out.now[rule].limit += each.now[rule].limit;
      out.now[rule].remaining += each.now[rule].remaining;
      out.now[rule].reset_after = std::max(out.now[rule].reset_after, each.now[rule].reset_after);
    }
    if (longest_wait(each) < longest_wait(out)) out.next = each.next;
  }
  return out;
}

double in_seconds(Duration time) { return std::chrono::duration<double>(time).count(); }

/// Adds the decision of one rule on the next request.
void add_next(const KeyQuestion& question, const Decision& next, KeyJson& row) {
  const bool observes = question.limit->limit.mode == limit::Mode::observe;
  if (question.suspended && !question.suspended->observed) {
    row["next_request"] = "suspended";
    row["retry_after_seconds"] = in_seconds(std::max(question.suspended->until - now(), Duration(0)));
    return;
  }
  row["next_request"] = next.allowed ? "allowed" : observes ? "observed" : "rejected";
  if (!next.allowed && next.retry_after < limit::kNever && !question.limit->in_flight)
    row["retry_after_seconds"] = in_seconds(next.retry_after);
}

AdminAnswer answer_of(const KeyQuestion& question, const KeyState& state, std::string_view store) {
  const auto& limit = question.limit->limit;
  KeyJson out = {{"limit", limit.name}, {"key", question.named}, {"key_id", question.id}};
  if (!question.tier->name.empty()) out["tier"] = question.tier->name;
  if (question.granted != nullptr) {
    const auto& wanted = question.granted->wanted;
    out["override"] = {{"rate", limit::rates_text(wanted)}, {"until", moment_text(wanted.until)}};
    if (!wanted.why.empty()) out["override"]["why"] = wanted.why;
  }
  if (question.suspended) out["suspended_until"] = moment_text(question.suspended->until);
  if (limit.unit != limit::Unit::request) out["unit"] = limit::to_text(limit.unit);
  out["store"] = store;
  if (question.shards() > 1) out["shards"] = question.shards();
  if (question.what == Do::reset) out["reset"] = is_full(state.now);
  const bool by_caller = question.largest != nullptr;
  if (by_caller)
    out["size"] = {{"from", gateway::to_text(limit.size_from->from)},
                   {"most", limit.size_from->most},
                   {"otherwise", limit.tiers.front().rules.front().rate.count}};
  out["rules"] = KeyJson::array();
  for (std::size_t i = 0; i < state.now.size(); ++i) {
    const auto& rule = question.tier->rules[i];
    const auto& now = state.now[i];
    const auto& next = state.next[i];
    const auto rate = rule.algorithm->refills ? to_text(rule.rate) : std::string(rule.algorithm->name);
    KeyJson row = {{"rule", (by_caller ? "at most " : "") + rate}};
    if (limit::is_balance(rule)) {
      row["balance"] = limit::balance_in(now);
    } else {
      if (!by_caller) row["limit"] = now.limit;
      row["used"] = now.limit - std::min(now.remaining, now.limit);
    }
    if (by_caller) {
      out["rules"].push_back(std::move(row));
      continue;
    }
    row["remaining"] = now.remaining;
    if (rule.algorithm->refills) row["full_in_seconds"] = in_seconds(now.reset_after);
    add_next(question, next, row);
    out["rules"].push_back(std::move(row));
  }
  return {.body = services::text_of(out), .type = AdminAnswer::kJson, .target = "key=" + question.id};
}

KeyState look_here(limit::MemoryStore& memory, const KeyQuestion& question) {
  const auto count = question.tier->rules.size();
  KeyState out{std::vector<Decision>(count), std::vector<Decision>(count)};
  memory.decide(question.checks(0, true), now(), out.now);
  memory.decide(question.checks(1, true), now(), out.next);
  return out;
}

AdminAnswer ask_here(limit::MemoryStore& memory, const KeyQuestion& question) {
  auto state = look_here(memory, question);
  for (int round = 0; question.what == Do::reset && round < kMaxResetRounds && !is_full(state.now); ++round) {
    std::vector<Decision> ignored(question.tier->rules.size());
    memory.decide(question.give_backs(), now(), ignored);
    auto next = look_here(memory, question);
    const bool stuck = same(next.now, state.now);
    state = std::move(next);
    if (stuck) break;
  }
  return answer_of(question, state, "memory");
}

Task<Result<KeyState>> look_there(redis::SharedLimiter& redis, const KeyQuestion& question) {
  const auto count = question.rules().size();
  KeyState out{std::vector<Decision>(count), std::vector<Decision>(count)};
  const auto looks = question.checks(0, true);
  auto call = redis.decide(looks, out.now);
  if (const auto told = co_await call; told.has_error()) co_return told.error();
  const auto tries = question.checks(1, true);
  auto second = redis.decide(tries, out.next);
  if (const auto told = co_await second; told.has_error()) co_return told.error();
  co_return out;
}

/// Reads one counter, after resetting it if that was requested.
Task<Result<KeyState>> ask_counter(redis::SharedLimiter& redis, const KeyQuestion& question) {
  auto looking = look_there(redis, question);
  auto state = co_await looking;
  if (state.has_error()) co_return state.error();
  for (int round = 0; question.what == Do::reset && round < kMaxResetRounds && !is_full(state->now); ++round) {
    std::vector<Decision> ignored(question.rules().size());
    const auto back = question.give_backs();
    auto giving = redis.decide(back, ignored);
    if (const auto told = co_await giving; told.has_error()) co_return told.error();
    auto again = look_there(redis, question);
    auto next = co_await again;
    if (next.has_error()) co_return next.error();
    const bool stuck = same(next->now, state->now);
    state = std::move(next);
    if (stuck) break;
  }
  co_return state;
}

Task<void> ask_there(std::shared_ptr<redis::SharedLimiter> redis, KeyQuestion question, AdminEndpoint::Give give,
                     std::shared_ptr<void> under_way) {
  std::vector<KeyState> states;
  const auto shards = question.shards();
  for (std::uint32_t i = 1; i <= shards; ++i) {
    const auto counter = shards > 1 ? question.of_shard(i) : question;
    auto asking = ask_counter(*redis, counter);
    auto state = co_await asking;
    if (state.has_error()) co_return give({.status = 503, .body = "Redis does not answer."});
    states.push_back(std::move(*state));
  }
  under_way.reset();
  give(answer_of(question, sum_of(states), "redis"));
}

/// Finds the tier of a caller with this key. The tier comes from an override, or from the rate or the tier of a known
/// API key; otherwise it is the default tier.
void find_named_tier(KeyQuestion& question) {
  const auto& active = *question.active;
  const auto& limit = *question.limit;
  question.tier = &limit.tiers[limit.limit.default_tier];
  if (active.overrides) question.granted = active.overrides->find(limit, question.key, now());
  if (question.granted != nullptr) {
    question.tier = &question.granted->tier;
    return;
  }
  if (!counts_by(limit.limit, "api_key")) return;
  const auto& records = active.credentials->api_keys().records();
  const auto known =
      std::ranges::find_if(records, [&](const auto& each) { return each.owner == question.key && !each.disabled; });
  if (known == records.end()) return;
  if (const auto* const own = active.credentials->of_key(*known, limit)) {
    question.tier = own;
    return;
  }
  const auto& from = limit.limit.tier_from;
  if (!from || from->source->word != "api_key") return;
  const auto tier = std::ranges::find(limit.tiers, known->tier, &gateway::CompiledTier::name);
  if (tier != limit.tiers.end()) question.tier = &*tier;
}

/// Does the same, and finds the largest tier if the size is a number in the caller's credential.
void find_tier(KeyQuestion& question) {
  find_named_tier(question);
  const auto& limit = *question.limit;
  if (!limit.limit.size_from || question.tier != &limit.tiers[limit.limit.default_tier]) return;
  question.largest = gateway::compile_size(limit, limit.limit.size_from->most);
  if (question.largest) question.tier = question.largest.get();
}

/// Reads the question from the path of the call. The error is the answer that says what is wrong.
Result<KeyQuestion, AdminAnswer> read_question(const OperatorBoard& board, const limit::BanTable& bans,
                                               const KeyReader& keys, const AdminCall& call, Do what) {
  using Made = Result<KeyQuestion, AdminAnswer>;
  const auto fail = [](AdminAnswer answer) { return Made(boost::system::in_place_error, std::move(answer)); };
  KeyQuestion out;
  out.active = board.now().active;
  out.what = what;
  const auto& config = *out.active->config;
  out.limit = compiled_limit(*out.active->compiled, call.parameter("name"));
  if (out.limit == nullptr) return fail(no_such_limit(config));
  const auto& limit = out.limit->limit;
  if (what == Do::reset && out.limit->in_flight)
    return fail({.status = 409,
                 .body = "This limit counts requests in flight: each request gives its permit back when it ends."});
  if (what == Do::reset && is_a_balance(limit)) return fail(no_reset_of_balance());
  const std::string written(call.parameter("key"));
  auto key = keys.read(config, limit, written);
  if (key.has_error()) return fail(std::move(key.error()));
  out.key = std::move(*key);
  out.named = KeyReader::named(limit, out.key, written);
  out.id = keys.id_of(out.key);
  if (exempts(config, limit, out.key))
    return fail({.status = 409, .body = "This caller is exempt from the limit, so its requests are not counted."});
  out.suspended = suspension_of(bans, limit, out.limit->base, out.key, now());
  if (const auto wanted = call.asked("tier")) {
    const auto& tiers = out.limit->tiers;
    const auto tier = std::find_if(tiers.begin(), tiers.end(), [&](const auto& each) { return each.name == wanted; });
    if (tier == tiers.end()) return fail({.status = 404, .body = "This limit has no tier of this name."});
    out.tier = &*tier;
  } else {
    find_tier(out);
  }
  if (out.tier->rules.empty())
    return fail({.status = 409,
                 .body = out.granted != nullptr ? "This key is unlimited for a time, so its requests are not counted."
                                                : "This tier is unlimited, so nothing is counted."});
  return out;
}

}  // namespace

std::vector<AdminEndpoint> key_endpoints(const OperatorBoard& board, limit::MemoryStore& memory,
                                         const limit::BanTable& bans, std::shared_ptr<const KeyReader> keys,
                                         WithRedis with_redis) {
  const auto under_way = std::make_shared<std::atomic<int>>(0);
  const auto answer = [&board, &memory, &bans, under_way, keys = std::move(keys),
                       with_redis = std::move(with_redis)](Do what) {
    return [&board, &memory, &bans, under_way, keys, with_redis, what](const AdminCall& call,
                                                                       const AdminEndpoint::Give& give) {
      auto question = read_question(board, bans, *keys, call, what);
      if (question.has_error()) return give(std::move(question.error()));
      if (question->limit->limit.store == limit::Store::memory) return give(ask_here(memory, *question));
      if (under_way->fetch_add(1) >= kMaxKeyCalls) {
        under_way->fetch_sub(1);
        return give({.status = 503, .body = "Too many calls of this kind are under way: try again soon."});
      }
      std::shared_ptr<void> counted(nullptr, [under_way](void*) { under_way->fetch_sub(1); });
      with_redis([question = std::move(*question), give, counted](std::shared_ptr<redis::SharedLimiter> redis) {
        if (redis) spawn(ask_there(std::move(redis), question, give, counted), "key");
      });
    };
  };
  const std::vector<AdminAbout::Parameter> query = {
      {"tier", "of a limit with tiers; the one of a known API key, else the default, if not there", false}};
  std::vector<AdminEndpoint> out;
  out.push_back({.method = "GET",
                 .path = "/api/v1/limits/{name}/keys/{key}",
                 .answer_later = answer(Do::look),
                 .about = {.summary = "What a key has used of a limit, what is left, and when it is full again",
                           .answer = "Key",
                           .query = query}});
  out.push_back({.method = "DELETE",
                 .path = "/api/v1/limits/{name}/keys/{key}",
                 .answer_later = answer(Do::reset),
                 .about = {.summary = "Forget what a key has used", .answer = "Key", .query = query}});
  return out;
}

}  // namespace headgate::admin
