#include "admin/endpoint_groups.hpp"
#include "key_reader.hpp"
#include "key_use.hpp"
#include "limit_keys.hpp"
#include "shared_json.hpp"

#include "headgate/observe/logs.hpp"
#include "headgate/services/ban_json.hpp"
#include "headgate/services/written_key.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <tuple>
#include <utility>

namespace headgate::admin {
namespace {

using OverridesJson = nlohmann::ordered_json;
using Give = AdminEndpoint::Give;

constexpr std::size_t kMaxOverrideBody = 4096;

AdminAnswer problem(unsigned status, std::string sentence) { return {.status = status, .body = std::move(sentence)}; }

/// The limit and the key in the path.
struct LimitAndKey {
  std::string limit;
  std::string key;
  std::string named;  ///< As answers show it.
};

/// The data that all calls need.
struct OverrideCalls {
  OperatorBoard& board;
  std::shared_ptr<services::OverrideService> overrides;
  std::shared_ptr<const KeyReader> keys;
  std::shared_ptr<const KeyUse> use;
};

Result<LimitAndKey, AdminAnswer> limit_and_key(const KeyReader& keys, const config::Config& config,
                                               const AdminCall& call) {
  using Found = Result<LimitAndKey, AdminAnswer>;
  const auto fail = [](AdminAnswer answer) { return Found(boost::system::in_place_error, std::move(answer)); };
  const auto name = call.parameter("name");
  const auto limit =
      std::find_if(config.limits.begin(), config.limits.end(), [&](const auto& each) { return each.name == name; });
  if (limit == config.limits.end()) return fail(no_such_limit(config));
  const std::string written(call.parameter("key"));
  auto key = keys.read(config, *limit, written);
  if (key.has_error()) return fail(std::move(key.error()));
  if (exempts(config, *limit, *key))
    return fail(problem(409, "This caller is exempt from the limit, so an override has no effect."));
  auto named = KeyReader::named(*limit, *key, written);
  return LimitAndKey{limit->name, std::move(*key), std::move(named)};
}

/// The overrides of one limit, or of all limits.
OverridesJson rows_of(const OperatorBoard& board, const limit::OverrideBook& book, std::string_view limit) {
  const auto at = now();
  const auto active = board.now().active;
  auto rows = OverridesJson::array();
  for (const auto& each : book.list(at)) {
    if (!limit.empty() && each.limit != limit) continue;
    const auto why_not = active->overrides ? active->overrides->why_not(each.limit, each.key) : std::string_view();
    rows.push_back(to_json(each, at, why_not));
    rows.back()["key"] = services::written_key(*active->config, each.limit, each.key);
    rows.back()["key_id"] = observe::key_id(each.key);
  }
  return rows;
}

AdminAnswer list_of(OverridesJson rows) {
  return {.body = services::text_of({{"overrides", std::move(rows)}}), .type = AdminAnswer::kJson};
}

AdminAnswer list_of_limit(const OperatorBoard& board, const limit::OverrideBook& book, const AdminCall& call) {
  const auto& config = *board.now().active->config;
  const auto name = call.parameter("name");
  const bool known =
      std::any_of(config.limits.begin(), config.limits.end(), [&](const auto& each) { return each.name == name; });
  auto rows = rows_of(board, book, name);
  // Overrides under a limit that no longer exists are still listed.
  return known || !rows.empty() ? list_of(std::move(rows)) : no_such_limit(config);
}

void add_where(const services::OverrideService::Done& done, OverridesJson& out) {
  out["store"] = done.shared ? "redis" : "memory";
  if (done.shared) out["gateways"] = to_json(done.spread);
}

/// Runs `what` on the main thread, which owns the overrides.
void on_main(OperatorBoard& board, const Give& give, std::function<void()> what) {
  if (!board.on_main_thread(std::move(what))) give(problem(503, "This gateway is shutting down."));
}

/// Returns the override for the audit log, which shows keys by their ids.
std::string target_of(const limit::Override& one, bool with_rate) {
  return "key=" + observe::key_id(one.key) + (with_rate ? " rate=" + limit::rates_text(one) : "");
}

void put(const OverrideCalls& calls, const AdminCall& call, const Give& give) {
  auto wanted = read_override(call.body, now());
  if (wanted.has_error()) return give(problem(400, wanted.error()));
  auto whose = limit_and_key(*calls.keys, *calls.board.now().active->config, call);
  if (whose.has_error()) return give(whose.error());
  wanted->limit = std::move(whose->limit);
  wanted->key = std::move(whose->key);
  const auto tell = [calls, give, named = std::move(whose->named)](
                        const Result<services::OverrideService::Done, services::Refusal>& done) {
    if (done.has_error()) return give(problem(done.error().status, done.error().why));
    auto out = to_json(done->override, now());
    out["key"] = named;
    out["key_id"] = observe::key_id(done->override.key);
    add_where(*done, out);
    const auto& [limit, key] = std::tie(done->override.limit, done->override.key);
    calls.use->ask(limit, key, [done = *done, out = std::move(out), give](std::string warning) {
      auto body = out;
      if (!warning.empty()) body["warning"] = std::move(warning);
      give({.status = done.replaced ? 200U : 201U,
            .body = services::text_of(body),
            .type = AdminAnswer::kJson,
            .target = target_of(done.override, true)});
    });
  };
  on_main(calls.board, give,
          [overrides = calls.overrides, tell, wanted = std::move(*wanted)] { overrides->put(wanted, tell); });
}

void lift(const OverrideCalls& calls, const AdminCall& call, const Give& give) {
  // Looks for the key in its listed form first. So an override can be ended even if its limit no longer exists, or if
  // its caller is exempt now.
  const std::string written(call.parameter("key"));
  LimitAndKey whose{std::string(call.parameter("name")), written, written};
  if (!calls.overrides->book().find(whose.limit, whose.key, now())) {
    auto read = limit_and_key(*calls.keys, *calls.board.now().active->config, call);
    if (read.has_error()) return give(read.error());
    whose = std::move(*read);
  }
  const auto tell = [give,
                     named = whose.named](const Result<services::OverrideService::Done, services::Refusal>& done) {
    if (done.has_error()) return give(problem(done.error().status, done.error().why));
    const auto& one = done->override;
    OverridesJson out = {{"lifted", {{"limit", one.limit}, {"key", named}, {"key_id", observe::key_id(one.key)}}}};
    add_where(*done, out);
    give({.body = services::text_of(out), .type = AdminAnswer::kJson, .target = target_of(one, false)});
  };
  on_main(calls.board, give, [overrides = calls.overrides, tell, whose = std::move(whose)] {
    overrides->lift(whose.limit, whose.key, tell);
  });
}

}  // namespace

std::vector<AdminEndpoint> override_endpoints(OperatorBoard& board,
                                              const std::shared_ptr<services::OverrideService>& overrides,
                                              std::shared_ptr<const KeyReader> keys,
                                              std::shared_ptr<const KeyUse> use) {
  const OverrideCalls calls{board, overrides, std::move(keys), std::move(use)};
  constexpr std::string_view kOne = "/api/v1/limits/{name}/overrides/{key}";
  std::vector<AdminEndpoint> out;
  out.push_back(
      {.method = "GET",
       .path = "/api/v1/overrides",
       .answer = [&board, overrides](const AdminCall&) { return list_of(rows_of(board, overrides->book(), {})); },
       .about = {.summary = "Keys that have another size of a limit for a time", .answer = "Overrides"}});
  out.push_back(
      {.method = "GET",
       .path = "/api/v1/limits/{name}/overrides",
       .answer = [&board, overrides](const AdminCall& call) { return list_of_limit(board, overrides->book(), call); },
       .about = {.summary = "Keys that have another size of this limit for a time", .answer = "Overrides"}});
  out.push_back(
      {.method = "PUT",
       .path = kOne,
       .most_body = kMaxOverrideBody,
       .answer_later = [calls](const AdminCall& call, const Give& give) { put(calls, call, give); },
       .about = {
           .summary = "Give a key another size of a limit for a time", .body = "NewOverride", .answer = "Override"}});
  out.push_back({.method = "DELETE",
                 .path = kOne,
                 .answer_later = [calls](const AdminCall& call, const Give& give) { lift(calls, call, give); },
                 .about = {.summary = "End the override of a key", .answer = "Lifted"}});
  return out;
}

}  // namespace headgate::admin
