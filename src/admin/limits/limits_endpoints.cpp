#include "admin/endpoint_groups.hpp"
#include "limit_keys.hpp"

#include "headgate/config/load.hpp"
#include "headgate/core/per_enum.hpp"
#include "headgate/core/text.hpp"
#include "headgate/gateway/key_source.hpp"
#include "headgate/limit/algorithm.hpp"
#include "headgate/limit/balance.hpp"
#include "headgate/limit/unit_text.hpp"
#include "headgate/observe/families/limits.hpp"
#include "headgate/services/ban_json.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <memory>
#include <utility>

namespace headgate::admin {
namespace {

using LimitJson = nlohmann::ordered_json;

/// Takes the tiers of a limit or of a compiled limit.
template <class Tiers>
LimitJson json_of_tiers(const Tiers& tiers) {
  auto out = LimitJson::array();
  for (const auto& tier : tiers) {
    LimitJson row = LimitJson::object();
    if (!tier.name.empty()) row["tier"] = tier.name;
    row["rules"] = LimitJson::array();
    for (const auto& rule : tier.rules) {
      LimitJson each = {{"algorithm", rule.algorithm->name}};
      if (rule.algorithm->refills) each["rate"] = to_text(rule.rate);
      if (limit::is_balance(rule))
        each["start"] = rule.start;
      else
        each[rule.algorithm->refills ? "burst" : "in_flight"] = rule.burst;
      row["rules"].push_back(std::move(each));
    }
    out.push_back(std::move(row));
  }
  return out;
}

std::string_view word_of(limit::IfRedisDown down) {
  static constexpr WordsUpTo<limit::IfRedisDown::count_locally> kWords({"allow", "reject", "count_locally"});
  return kWords[down];
}

LimitJson json_of(const limit::Limit& limit, const config::Config& config, const observe::Registry& registry,
                  const std::vector<limit::LimitKeys>& keys) {
  LimitJson out = {{"limit", limit.name}, {"means", config::meaning_of(limit, config)}};
  out["per"] = LimitJson::array();
  for (const auto& per : limit.per) out["per"].push_back(gateway::to_text(per));
  if (limit.unit != limit::Unit::request) out["unit"] = limit::to_text(limit.unit);
  out["mode"] = limit.mode == limit::Mode::enforce ? "enforce" : "observe";
  const bool shared = limit.store == limit::Store::redis;
  out["store"] = shared ? "redis" : "memory";
  if (shared) out["if_redis_down"] = word_of(limit.if_redis_down);
  out["tiers"] = json_of_tiers(limit.tiers);
  LimitJson decisions = {{"allowed", 0}, {"rejected", 0}, {"observed", 0}};
  constexpr std::size_t kDecisionLabel = 2;
  for (const auto& [decision, count] : registry.sums(observe::family::limit_decisions, {limit.name}, kDecisionLabel))
    decisions[decision] = count;
  out["decisions"] = std::move(decisions);
  const auto mine = std::find_if(keys.begin(), keys.end(), [&](const auto& each) { return each.limit == limit.name; });
  out["keys_in_memory"] = mine == keys.end() ? 0 : mine->keys;
  return out;
}

AdminAnswer all_limits(const OperatorBoard& board, const observe::Registry& registry,
                       const limit::MemoryStore& memory) {
  const auto state = board.now();
  const auto keys = memory.keys_by_limit();
  auto rows = LimitJson::array();
  for (const auto& limit : state.active->config->limits)
    rows.push_back(json_of(limit, *state.active->config, registry, keys));
  return {.body = services::text_of({{"limits", std::move(rows)}}), .type = AdminAnswer::kJson};
}

/// Returns the limits that routes derive from this limit by a scale. Each has counters of its own.
LimitJson scaled_of(const gateway::CompiledConfig& compiled, const std::string& base) {
  constexpr std::size_t kShown = 100;
  auto out = LimitJson::array();
  for (const auto& each : compiled.limits()) {
    if (each->base != base || !each->share.is_partial()) continue;
    if (out.size() == kShown) break;
    out.push_back(each->limit.name);
  }
  return out;
}

AdminAnswer one_limit(const AdminCall& call, const OperatorBoard& board, const observe::Registry& registry,
                      const limit::MemoryStore& memory) {
  const auto state = board.now();
  const auto& config = *state.active->config;
  const auto& compiled = *state.active->compiled;
  const auto name = call.parameter("name");
  const auto found = std::ranges::find(config.limits, name, &limit::Limit::name);
  const auto* const scaled = found == config.limits.end() ? compiled_limit(compiled, name) : nullptr;
  if (found == config.limits.end() && scaled == nullptr) return no_such_limit(config);
  auto out = json_of(scaled != nullptr ? scaled->limit : *found, config, registry, memory.keys_by_limit());
  if (scaled != nullptr) {
    const auto& share = scaled->share;
    out["means"] = std::to_string(share.up) + '/' + std::to_string(share.down) + " of " + scaled->base +
                   ", for the route " + share.route;
    out["tiers"] = json_of_tiers(scaled->tiers);
  } else if (auto names = scaled_of(compiled, found->name); !names.empty()) {
    out["scaled"] = std::move(names);
  }
  return {.body = services::text_of(out), .type = AdminAnswer::kJson};
}

}  // namespace

std::vector<AdminEndpoint> limits_endpoints(const OperatorBoard& board, const observe::Registry& registry,
                                            const limit::MemoryStore& memory) {
  std::vector<AdminEndpoint> out;
  out.push_back(
      {.method = "GET",
       .path = "/api/v1/limits",
       .answer = [&](const AdminCall&) { return all_limits(board, registry, memory); },
       .about = {.summary = "All limits: what they mean, and what they decided since the start", .answer = "Limits"}});
  out.push_back({.method = "GET",
                 .path = "/api/v1/limits/{name}",
                 .answer = [&](const AdminCall& call) { return one_limit(call, board, registry, memory); },
                 .about = {.summary = "One limit", .answer = "Limit"}});
  return out;
}

}  // namespace headgate::admin
