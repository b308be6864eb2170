#include "admin/endpoint_groups.hpp"
#include "key_reader.hpp"
#include "limit_keys.hpp"

#include "headgate/core/hash.hpp"
#include "headgate/core/task.hpp"
#include "headgate/limit/balance.hpp"
#include "headgate/services/ban_json.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>

namespace headgate::admin {
namespace {

using BalanceJson = nlohmann::ordered_json;
using BalanceGive = AdminEndpoint::Give;

constexpr std::size_t kMaxBalanceBody = 4096;
constexpr std::size_t kMaxTopUpId = 128;
constexpr int kMaxBalanceCalls = 16;  ///< Maximum number of calls that wait for Redis.

AdminAnswer balance_problem(unsigned status, std::string sentence) {
  return {.status = status, .body = std::move(sentence)};
}

/// A call about the balance of one key.
struct BalanceCall {
  std::shared_ptr<const services::ActiveConfig> active;  ///< Keeps the rule alive.
  const limit::Rule* rule = nullptr;
  std::string key;
  std::string named;  ///< The key as answers show it.
  std::string key_id;
  std::int64_t add = 0;  ///< 0 to read the balance
  std::string id;        ///< The name of the top-up; may be empty.
};

using MadeBalanceCall = Result<BalanceCall, AdminAnswer>;
MadeBalanceCall no_call(AdminAnswer answer) { return {boost::system::in_place_error, std::move(answer)}; }

MadeBalanceCall find_balance(const OperatorBoard& board, const KeyReader& keys, const std::string& name,
                             const std::string& written) {
  BalanceCall out;
  out.active = board.now().active;
  const auto& config = *out.active->config;
  const auto limit = std::ranges::find(config.limits, name, &limit::Limit::name);
  if (limit == config.limits.end()) return no_call(no_such_limit(config));
  if (!is_a_balance(*limit))
    return no_call(balance_problem(409, "This limit is no balance: it refills by itself, so nothing can be added."));
  out.rule = &limit->tiers.front().rules.front();
  auto key = keys.read(config, *limit, written);
  if (key.has_error()) return no_call(std::move(key.error()));
  out.key = std::move(*key);
  out.named = KeyReader::named(*limit, out.key, written);
  out.key_id = keys.id_of(out.key);
  return out;
}

MadeBalanceCall asked_balance(const OperatorBoard& board, const KeyReader& keys, const AdminCall& call) {
  const auto limit = call.asked("limit");
  const auto key = call.asked("key");
  if (!limit || !key) return no_call(balance_problem(400, "Name the balance: /api/v1/balances?limit=credit&key=acme."));
  return find_balance(board, keys, *limit, *key);
}

bool is_top_up_id(const std::string& id) {
  return !id.empty() && id.size() <= kMaxTopUpId && std::ranges::all_of(id, [](char c) { return c > ' ' && c <= '~'; });
}

std::optional<std::string> text_member(const BalanceJson& asked, const char* name) {
  const auto found = asked.find(name);
  return found != asked.end() && found->is_string() ? std::optional(found->get<std::string>()) : std::nullopt;
}

/// Returns the amount to add; 0 if it is not valid.
std::int64_t amount_in(const BalanceJson& asked) {
  const auto found = asked.find("add");
  if (found == asked.end() || !found->is_number_integer()) return 0;
  if (found->is_number_unsigned() && found->get<std::uint64_t>() > kMaxRequests) return 0;
  const auto amount = found->get<std::int64_t>();
  return amount < -limit::kMaxBalance ? 0 : amount;
}

MadeBalanceCall read_top_up(const OperatorBoard& board, const KeyReader& keys, const AdminCall& call) {
  const auto asked = BalanceJson::parse(call.body, nullptr, false);
  const auto limit = asked.is_object() ? text_member(asked, "limit") : std::nullopt;
  const auto key = asked.is_object() ? text_member(asked, "key") : std::nullopt;
  if (!limit || !key)
    return no_call(balance_problem(
        400, R"(Send JSON like {"limit": "credit", "key": "acme", "add": 5000000, "id": "invoice-7"}.)"));
  constexpr std::array<std::string_view, 4> kMembers{"limit", "key", "add", "id"};
  for (const auto& item : asked.items())
    if (std::ranges::find(kMembers, item.key()) == kMembers.end())
      return no_call(balance_problem(400, R"(The members are "limit", "key", "add" and "id".)"));
  const auto add = amount_in(asked);
  if (add == 0)
    return no_call(balance_problem(400, "\"add\" is a whole number other than 0, at most " +
                                            std::to_string(kMaxRequests) + "; below 0 it takes back."));
  const auto id = text_member(asked, "id");
  if (asked.contains("id") && (!id || !is_top_up_id(*id)))
    return no_call(balance_problem(400, "\"id\" is a text of 1 to " + std::to_string(kMaxTopUpId) +
                                            " visible ASCII characters without spaces, as in \"invoice-7\"."));
  auto found = find_balance(board, keys, *limit, *key);
  if (found.has_error()) return found;
  found->add = add;
  found->id = id.value_or("");
  return found;
}

AdminAnswer answer_of_balance(const BalanceCall& call, std::int64_t balance, bool repeated) {
  BalanceJson out = {{"limit", call.rule->limit}, {"key", call.named}, {"balance", balance}};
  if (repeated) out["repeated"] = true;
  std::string target;
  if (call.add != 0)
    target = "key=" + call.key_id + " limit=" + call.rule->limit + " add=" + std::to_string(call.add) +
             (call.id.empty() ? "" : " id=" + call.id) + " balance=" + std::to_string(balance) +
             (repeated ? " repeated" : "");
  return {.body = services::text_of(out), .type = AdminAnswer::kJson, .target = std::move(target)};
}

/// Returns the sentence for a call that Redis did not answer.
std::string not_answered(const BalanceCall& call) {
  if (call.add == 0) return "Redis does not answer.";
  return call.id.empty() ? "Redis does not answer, so it is not known whether the balance has changed. Read it before "
                           "you send the call again; a call with an \"id\" can be repeated."
                         : "Redis does not answer, so it is not known whether the balance has changed. Send the call "
                           "again with the same \"id\": it counts once.";
}

/// Reads or changes a balance in one call to Redis, which has the id of the top-up as well.
Task<void> change_balance(std::shared_ptr<redis::SharedLimiter> redis, BalanceCall call, BalanceGive give,
                          std::shared_ptr<void> under_way) {
  const auto top_up = limit::top_up_rule(*call.rule, call.id);
  std::array<limit::Check, 2> checks{
      limit::Check{.rule = call.rule,
                   .key = call.key,
                   .hash = keyed_hash(call.key, call.rule->seed),
                   .cost = -call.add,
                   .how = call.add < 0 ? limit::How::debt : limit::How::take,
                   .peek = call.add == 0},
      limit::Check{.rule = &top_up, .key = call.key, .hash = keyed_hash(call.key, top_up.seed), .cost = call.add}};
  std::array<limit::Decision, 2> decisions;
  const std::size_t count = call.id.empty() ? 1 : 2;
  auto asking = redis->decide(std::span(checks).first(count), std::span(decisions).first(count));
  const auto passed = co_await asking;
  under_way.reset();
  if (passed.has_error()) co_return give(balance_problem(503, not_answered(call)));
  if (!*passed && limit::balance_in(decisions[1]) != call.add)
    co_return give(balance_problem(409, "The id " + call.id + " was used before, to add " +
                                            std::to_string(limit::balance_in(decisions[1])) +
                                            ". Nothing has changed: use another id for another top-up."));
  give(answer_of_balance(call, limit::balance_in(decisions[0]), !*passed));
}

}  // namespace

std::vector<AdminEndpoint> balance_endpoints(const OperatorBoard& board, std::shared_ptr<const KeyReader> keys,
                                             WithRedis with_redis) {
  using Read = MadeBalanceCall (*)(const OperatorBoard&, const KeyReader&, const AdminCall&);
  const auto under_way = std::make_shared<std::atomic<int>>(0);
  const auto answer = [&board, under_way, keys = std::move(keys), with_redis = std::move(with_redis)](Read read) {
    return [&board, under_way, keys, with_redis, read](const AdminCall& call, const BalanceGive& give) {
      auto asked = read(board, *keys, call);
      if (asked.has_error()) return give(std::move(asked.error()));
      if (under_way->fetch_add(1) >= kMaxBalanceCalls) {
        under_way->fetch_sub(1);
        return give(balance_problem(503, "Too many calls of this kind are under way: try again soon."));
      }
      std::shared_ptr<void> counted(nullptr, [under_way](void*) { under_way->fetch_sub(1); });
      with_redis([asked = std::move(*asked), give, counted](std::shared_ptr<redis::SharedLimiter> redis) {
        if (redis) spawn(change_balance(std::move(redis), asked, give, counted), "balance");
      });
    };
  };
  constexpr std::string_view kBalances = "/api/v1/balances";
  std::vector<AdminEndpoint> out;
  out.push_back({.method = "GET",
                 .path = kBalances,
                 .answer_later = answer(asked_balance),
                 .about = {.summary = "The balance of a key",
                           .answer = "Balance",
                           .query = {{"limit", "the name of a limit with \"balance\"", true},
                                     {"key", "the key, as in /api/v1/limits/{name}/keys/{key}", true}}}});
  out.push_back(
      {.method = "POST",
       .path = kBalances,
       .most_body = kMaxBalanceBody,
       .answer_later = answer(read_top_up),
       .about = {.summary = "Add to the balance of a key, or take back", .body = "TopUp", .answer = "Balance"}});
  return out;
}

}  // namespace headgate::admin
