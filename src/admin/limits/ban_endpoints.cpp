#include "admin/endpoint_groups.hpp"
#include "key_reader.hpp"
#include "key_use.hpp"
#include "limit_keys.hpp"
#include "shared_json.hpp"

#include "headgate/core/literals.hpp"
#include "headgate/core/text.hpp"
#include "headgate/gateway/key_source.hpp"
#include "headgate/http/named_values.hpp"
#include "headgate/observe/event.hpp"
#include "headgate/observe/logs.hpp"
#include "headgate/services/ban_json.hpp"
#include "headgate/services/written_key.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <utility>

namespace headgate::admin {
namespace {

using Json = nlohmann::ordered_json;
constexpr std::string_view kJson = "application/json";
constexpr std::size_t kMaxBody = 4096;

AdminAnswer refuse(unsigned status, std::string sentence) { return {.status = status, .body = std::move(sentence)}; }

/// The data that all calls need.
struct BanCalls {
  std::shared_ptr<services::BanService> bans;
  std::shared_ptr<const KeyReader> keys;
  std::shared_ptr<const KeyUse> use;
};

/// Returns the limit called `name`, or the answer that lists the existing limits.
Result<const limit::Limit*, AdminAnswer> find_limit(const config::Config& config, const std::string& name) {
  const auto found = std::ranges::find(config.limits, name, &limit::Limit::name);
  if (found != config.limits.end()) return &*found;
  return Result<const limit::Limit*, AdminAnswer>(boost::system::in_place_error, no_such_limit(config));
}

/// Reads the key of a caller, and checks that it can be suspended.
Result<std::string, AdminAnswer> key_of(const KeyReader& keys, const config::Config& config, const limit::Limit& limit,
                                        const std::string& written) {
  const auto everybody = [](const limit::Per& per) { return per.source->counts == gateway::Counts::everybody; };
  if (std::ranges::all_of(limit.per, everybody))
    return Result<std::string, AdminAnswer>(
        boost::system::in_place_error,
        refuse(409, "This limit counts all callers together, so a suspension would affect all of them."));
  auto key = keys.read_for_suspension(config, limit, written);
  // An exempt caller cannot be suspended. But a block is accepted even if a caller in it is exempt, because others in
  // it may not be.
  const auto one = read_key(config, limit, written);
  const bool of_one = is_key_id(written) || (one.has_value() && key.has_value() && *one == *key);
  if (of_one && key.has_value() && exempts(config, limit, *key))
    return Result<std::string, AdminAnswer>(
        boost::system::in_place_error, refuse(409, "This caller is exempt from the limit, so it is never suspended."));
  return key;
}

/// For the audit log.
std::string target_of(const limit::Ban& ban) { return "limit=" + ban.limit + " key=" + observe::key_id(ban.key); }

/// Shows the key as an operator writes it.
Json shown(const config::Config& config, const limit::Ban& ban, Instant now) {
  auto out = services::to_json(ban, now);
  out["key"] = services::written_key(config, ban.limit, ban.key);
  out["key_id"] = observe::key_id(ban.key);
  return out;
}

AdminAnswer list(services::BanService& bans) {
  const auto now = headgate::now();
  const auto config = bans.config();
  Json rows = Json::array();
  for (const auto& ban : bans.table().list(now)) rows.push_back(shown(*config, ban, now));
  return {.body = services::text_of({{"bans", std::move(rows)}}), .type = kJson};
}

/// Gives the answer. If the suspension is shared, waits until the other gateways have confirmed it.
void give_when_heard(services::BanService& bans, const std::string& limit, AdminAnswer answer, Json body,
                     const AdminEndpoint::Give& give) {
  answer.type = kJson;
  if (!bans.shares(limit)) {
    answer.body = services::text_of(body);
    return give(std::move(answer));
  }
  bans.when_heard([answer = std::move(answer), body = std::move(body), give](const services::Spread& spread) mutable {
    body["gateways"] = to_json(spread);
    answer.body = services::text_of(body);
    give(std::move(answer));
  });
}

void add(const BanCalls& calls, const std::string& body, const AdminEndpoint::Give& give) {
  const auto refuse_it = [&give](unsigned status, const char* why) { give(refuse(status, why)); };
  const auto asked = Json::parse(body, nullptr, false);
  const auto text = [&](const char* name) {
    return asked.is_object() && asked.contains(name) && asked[name].is_string() ? asked[name].get<std::string>()
                                                                                : std::string();
  };
  if (text("limit").empty() || text("key").empty())
    return refuse_it(400, R"(Send JSON like {"limit": "abuse", "key": "192.0.2.7", "for": "1h"}.)");
  auto& bans = *calls.bans;
  const auto config = bans.config();
  const auto limit = find_limit(*config, text("limit"));
  if (limit.has_error()) return give(limit.error());
  const auto key = key_of(*calls.keys, *config, **limit, text("key"));
  if (key.has_error()) return give(key.error());
  if (!asked.contains("for") && !(*limit)->ban)
    return refuse_it(400, R"(This limit has no "ban" that says how long: add "for", as in "for": "1h".)");
  auto length = (*limit)->ban ? (*limit)->ban->first : Duration(0);
  if (asked.contains("for")) {
    const auto given = parse_duration(text("for"));
    if (given.has_error() || *given <= Duration(0) || *given > limit::BanTable::kRemembered)
      return refuse_it(400, "\"for\" is a duration of at most 31 days, as in \"1h\".");
    length = *given;
  }
  const auto ban = bans.table().add((*limit)->name, *key, length, headgate::now());
  const auto id = observe::key_id(ban.key);
  observe::event(
      observe::LogLevel::warning, "suspended", "an operator suspended a caller",
      {{"limit", ban.limit}, {"key_id", id}, {"for", to_text(length)}, {"reason", limit::to_text(ban.reason)}});
  auto told = shown(*config, ban, headgate::now());
  told["key"] = KeyReader::named(**limit, ban.key, text("key"));
  calls.use->ask(ban.limit, ban.key, [bans = calls.bans, ban, told = std::move(told), give](std::string warning) {
    auto out = told;
    if (!warning.empty()) out["warning"] = std::move(warning);
    give_when_heard(*bans, ban.limit, {.status = 201, .target = target_of(ban)}, std::move(out), give);
  });
}

void lift(const BanCalls& calls, std::string_view query, const AdminEndpoint::Give& give) {
  std::string name;
  std::string written;
  const auto limit_value = http::query_parameter(query, "limit");
  const auto key_value = http::query_parameter(query, "key");
  if (limit_value.twice || key_value.twice || !http::decode_parameter(limit_value.value, name) ||
      !http::decode_parameter(key_value.value, written) || name.empty() || written.empty())
    return give(refuse(400, "Name the suspension, as in DELETE /api/v1/bans?limit=abuse&key=192.0.2.7."));
  const auto now = headgate::now();
  auto& bans = *calls.bans;
  auto lifted = bans.table().lift(name, written, now);
  if (!lifted) {  // the operator may have written one address of the suspended block
    const auto config = bans.config();
    const auto limit = find_limit(*config, name);
    const auto key =
        limit.has_error() ? Result<std::string, AdminAnswer>(written) : key_of(*calls.keys, *config, **limit, written);
    if (key.has_error() && is_key_id(written)) return give(key.error());
    if (key.has_value()) lifted = bans.table().lift(name, *key, now);
  }
  if (!lifted) return give(refuse(404, "This key is not suspended under this limit."));
  const auto id = observe::key_id(lifted->key);
  observe::event(observe::LogLevel::warning, "suspension_lifted", "an operator ended a suspension",
                 {{"limit", lifted->limit}, {"key_id", id}});
  const auto key = is_key_id(written) ? written : services::written_key(*bans.config(), lifted->limit, lifted->key);
  give_when_heard(bans, lifted->limit, {.target = target_of(*lifted)},
                  {{"lifted", {{"limit", lifted->limit}, {"key", key}, {"key_id", id}}}}, give);
}

}  // namespace

std::vector<AdminEndpoint> ban_endpoints(const std::shared_ptr<services::BanService>& bans,
                                         std::shared_ptr<const KeyReader> keys, std::shared_ptr<const KeyUse> use) {
  const BanCalls calls{bans, std::move(keys), std::move(use)};
  constexpr std::string_view kPath = "/api/v1/bans";
  return {
      {.method = "GET",
       .path = kPath,
       .answer = [bans](const AdminCall&) { return list(*bans); },
       .about = {.summary = "Who is suspended", .answer = "Bans"}},
      {.method = "POST",
       .path = kPath,
       .most_body = kMaxBody,
       .answer_later = [calls](const AdminCall& call, const AdminEndpoint::Give& give) { add(calls, call.body, give); },
       .about = {.summary = "Suspend a key, or a block of addresses", .body = "NewBan", .answer = "Ban"}},
      {.method = "DELETE",
       .path = kPath,
       .answer_later = [calls](const AdminCall& call,
                               const AdminEndpoint::Give& give) { lift(calls, call.query, give); },
       .about = {.summary = "End the suspension of a key",
                 .answer = "Lifted",
                 .query = {{"limit", "the limit's name", true}, {"key", "the key", true}}}}};
}

}  // namespace headgate::admin
