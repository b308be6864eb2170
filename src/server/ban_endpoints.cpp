#include "ban_endpoints.hpp"

#include "ban_json.hpp"
#include "limit_keys.hpp"
#include "spread_json.hpp"

#include "headgate/core/literals.hpp"
#include "headgate/core/text.hpp"
#include "headgate/http/named_values.hpp"
#include "headgate/observe/event.hpp"
#include "headgate/observe/logs.hpp"

#include <nlohmann/json.hpp>

#include <chrono>
#include <utility>

namespace headgate::server {
namespace {

using Json = nlohmann::ordered_json;
constexpr std::string_view kJson = "application/json";
constexpr std::size_t kMaxBody = 4096;

AdminAnswer refuse(unsigned status, std::string sentence) { return {.status = status, .body = std::move(sentence)}; }

/// The limit called `name`, if it suspends; else the answer that says which ones do.
Result<const limit::Limit*, AdminAnswer> find_limit(const config::Config& config, const std::string& name) {
  using Found = Result<const limit::Limit*, AdminAnswer>;
  std::vector<std::string> names;
  for (const auto& limit : config.limits) {
    if (!limit.ban) continue;
    if (limit.name == name) return &limit;
    names.push_back('"' + limit.name + '"');
  }
  if (names.empty()) return Found(boost::system::in_place_error, refuse(404, "No limit here has \"ban\"."));
  return Found(boost::system::in_place_error,
               refuse(404, "No limit with \"ban\" has this name. Those that have: " + joined(names, ", ") + "."));
}

/// The key of somebody who can be suspended.
Result<std::string, AdminAnswer> key_of(const config::Config& config, const limit::Limit& limit,
                                        const std::string& written) {
  auto key = read_key(config, limit, written);
  if (key.has_value() && exempts(config, limit, *key))
    return Result<std::string, AdminAnswer>(
        boost::system::in_place_error, refuse(409, "This caller is exempt from the limit, so it is never suspended."));
  return key;
}

/// For the log of changes.
std::string target_of(const limit::Ban& ban) { return "limit=" + ban.limit + " key=" + observe::key_id(ban.key); }

/// Its key as an operator writes it.
Json shown(const config::Config& config, const limit::Ban& ban, Instant now) {
  auto out = to_json(ban, now);
  out["key"] = written_key(config, ban.limit, ban.key);
  return out;
}

AdminAnswer list(BanService& bans) {
  const auto now = headgate::now();
  const auto config = bans.config();
  Json rows = Json::array();
  for (const auto& ban : bans.table().list(now)) rows.push_back(shown(*config, ban, now));
  return {.body = text_of({{"bans", std::move(rows)}}), .type = kJson};
}

/// Gives the answer: at once if the suspension is of this gateway alone, else once it is known who has heard.
void give_when_heard(BanService& bans, const std::string& limit, AdminAnswer answer, Json body,
                     const AdminEndpoint::Give& give) {
  answer.type = kJson;
  if (!bans.shares(limit)) {
    answer.body = text_of(body);
    return give(std::move(answer));
  }
  bans.when_heard([answer = std::move(answer), body = std::move(body), give](const Spread& spread) mutable {
    body["gateways"] = to_json(spread);
    answer.body = text_of(body);
    give(std::move(answer));
  });
}

void add(BanService& bans, const std::string& body, const AdminEndpoint::Give& give) {
  const auto refuse_it = [&give](unsigned status, const char* why) { give(refuse(status, why)); };
  const auto asked = Json::parse(body, nullptr, false);
  const auto text = [&](const char* name) {
    return asked.is_object() && asked.contains(name) && asked[name].is_string() ? asked[name].get<std::string>()
                                                                                : std::string();
  };
  if (text("limit").empty() || text("key").empty())
    return refuse_it(400, R"(Send JSON like {"limit": "abuse", "key": "192.0.2.7", "for": "1h"}.)");
  const auto config = bans.config();
  const auto limit = find_limit(*config, text("limit"));
  if (limit.has_error()) return give(limit.error());
  const auto key = key_of(*config, **limit, text("key"));
  if (key.has_error()) return give(key.error());
  auto length = (*limit)->ban->first;
  if (asked.contains("for")) {
    const auto given = parse_duration(text("for"));
    if (given.has_error() || *given <= Duration(0) || *given > limit::BanTable::kRemembered)
      return refuse_it(400, "\"for\" is a duration of at most 31 days, as in \"1h\".");
    length = *given;
  }
  const auto ban = bans.table().add((*limit)->name, *key, length, headgate::now());
  observe::event(observe::LogLevel::warning, "suspended", "an operator suspended a caller",
                 {{"limit", ban.limit}, {"for", to_text(length)}, {"reason", limit::to_text(ban.reason)}});
  give_when_heard(bans, ban.limit, {.status = 201, .target = target_of(ban)}, shown(*config, ban, headgate::now()),
                  give);
}

void lift(BanService& bans, std::string_view query, const AdminEndpoint::Give& give) {
  std::string name;
  std::string written;
  const auto limit_value = http::query_parameter(query, "limit");
  const auto key_value = http::query_parameter(query, "key");
  if (limit_value.twice || key_value.twice || !http::decode_parameter(limit_value.value, name) ||
      !http::decode_parameter(key_value.value, written) || name.empty() || written.empty())
    return give(refuse(400, "Name the suspension, as in DELETE /api/v1/bans?limit=abuse&key=192.0.2.7."));
  const auto now = headgate::now();
  auto lifted = bans.table().lift(name, written, now);
  if (!lifted) {  // an address may be written as a part of its block
    const auto config = bans.config();
    const auto limit = find_limit(*config, name);
    const auto key = limit.has_error() ? Result<std::string, AdminAnswer>(written) : key_of(*config, **limit, written);
    if (key.has_value()) lifted = bans.table().lift(name, *key, now);
  }
  if (!lifted) return give(refuse(404, "This key is not suspended under this limit."));
  observe::event(observe::LogLevel::warning, "suspension_lifted", "an operator ended a suspension",
                 {{"limit", lifted->limit}});
  give_when_heard(
      bans, lifted->limit, {.target = target_of(*lifted)},
      {{"lifted", {{"limit", lifted->limit}, {"key", written_key(*bans.config(), lifted->limit, lifted->key)}}}}, give);
}

}  // namespace

std::vector<AdminEndpoint> ban_endpoints(const std::shared_ptr<BanService>& bans) {
  constexpr std::string_view kPath = "/api/v1/bans";
  return {
      {.method = "GET",
       .path = kPath,
       .answer = [bans](const AdminCall&) { return list(*bans); },
       .about = {.summary = "Who is suspended", .answer = "Bans"}},
      {.method = "POST",
       .path = kPath,
       .most_body = kMaxBody,
       .answer_later = [bans](const AdminCall& call, const AdminEndpoint::Give& give) { add(*bans, call.body, give); },
       .about = {.summary = "Suspend a key", .body = "NewBan", .answer = "Ban"}},
      {.method = "DELETE",
       .path = kPath,
       .answer_later = [bans](const AdminCall& call,
                              const AdminEndpoint::Give& give) { lift(*bans, call.query, give); },
       .about = {.summary = "End the suspension of a key",
                 .answer = "Lifted",
                 .query = {{"limit", "the limit's name", true}, {"key", "the key", true}}}}};
}

}  // namespace headgate::server
