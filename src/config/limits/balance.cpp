// The balance of a limit: what a new key has, and the keys that mean nothing beside it.

#include "headgate/limit/balance.hpp"

#include "config/build.hpp"
#include "config/table_shapes.hpp"
#include "config/text/codes.hpp"
#include "config/text/report.hpp"
#include "config/values.hpp"

#include "headgate/gateway/key_source.hpp"
#include "headgate/limit/algorithm.hpp"

#include <algorithm>

namespace headgate::config {
namespace {

constexpr Shape kStart = integer(0, kMaxRequests);
constexpr Key kBalanceOfKeyKeys[] = {
    {"start", &kStart, "0", "1000", "What a key has before its first request, once"},
};
constexpr Section kBalanceOfKey{"key_balance", "limits.<name>.balance",
                                "What is left for each key, until it is topped up.", kBalanceOfKeyKeys};
constexpr Shape kBalanceOfKeyObject = section(kBalanceOfKey);
constexpr const Shape* kBalanceOfKeyForms[] = {&kBoolean, &kBalanceOfKeyObject};

}  // namespace

constexpr Shape kBalanceOfKeyShape = either("true or an object", kBalanceOfKeyForms);

limit::Rule balance_rule(const Node& written, const limit::Limit& limit) {
  limit::Rule rule;
  rule.limit = limit.name;
  rule.unit = limit.unit;
  std::uint64_t start = 0;
  read_number(&written, "start", start);
  limit::make_balance(rule, start);
  limit::name_rule(rule, false, limit::PeriodInKey::no);
  return rule;
}

void check_key_balance(Build& build, const Node& node, limit::Limit& out) {
  auto& report = build.report;
  const Node& balance = *find(&node, "balance");
  if (balance.kind == Kind::boolean && balance.text == "false")
    report.error(code::kConflict, balance, "without a balance this limit has no size",
                 R"(write true, or another size such as "rate")");
  if (find(&build.root, "redis") == nullptr)
    report.error_at_key(code::kUnresolved, balance, "a balance is kept in Redis, but there is no \"redis\" block",
                        R"(add "redis": { "url": "redis://127.0.0.1:6379" }, and let that Redis persist)");
  else if (out.store == limit::Store::memory)
    report.error_at_key(code::kConflict, *find(&node, "store"),
                        "a balance is kept in Redis: a gateway's memory loses it at every restart",
                        R"(write "store": "redis", or remove it)");
  for (const char* const key :
       {"burst", "algorithm", "wait", "leases", "shards", "appointments", "count_rejected", "notify_at", "local_part"})
    if (const Node* other = find(&node, key))
      report.error_at_key(code::kConflict, *other, in_quotes(key) + " has no meaning for a balance", "remove it");
  if (const Node* version = find(&node, "version"))
    report.error_at_key(code::kConflict, *version, "a new \"version\" would end all balances", "remove it");
  if (const Node* ban = find(&node, "ban"))
    report.error_at_key(code::kConflict, *ban, "a suspension would outlast the top-up of a balance",
                        "remove it, or write it at another limit");
  if (out.glitches || out.messages)
    report.error_at_key(code::kConflict, *find(&node, "count"),
                        "a balance is for the cost of requests, not for glitches or messages", "remove it");
  const auto strangers = std::ranges::find_if(out.per, [](const limit::Per& per) {
    using gateway::Needs;
    const auto needs = per.source->needs;
    return needs != Needs::api_key && needs != Needs::token && needs != Needs::certificate && needs != Needs::user &&
           needs != Needs::service && per.source->word != "total";
  });
  std::uint64_t start = 0;
  read_number(&balance, "start", start);
  if (start > 0 && strangers != out.per.end() && std::ranges::none_of(out.per, [&](const limit::Per& per) {
        return per.source->needs == gateway::Needs::api_key;
      }))
    report.warning_at_key(code::kKeyAbsent, balance,
                          "every new " + strangers->source->noun(strangers->name) +
                              " begins with this balance, and its key stays in Redis for ever",
                          R"(count by a credential, such as "api_key", or leave "start" out)");
  const Node* down = find(&node, "if_redis_down");
  if (down == nullptr)
    out.if_redis_down = limit::IfRedisDown::reject;
  else if (out.if_redis_down == limit::IfRedisDown::count_locally)
    report.error_at_key(code::kConflict, *down,
                        "a balance is known only to Redis, so a gateway cannot count a part of it locally",
                        R"(write "reject" or "allow")");
}

}  // namespace headgate::config
