// rate-limiting, key-auth and the other plugins that say something of a route.

#include "translate/draft/addresses.hpp"
#include "translate/draft/json.hpp"
#include "translate/kong/work.hpp"

#include "headgate/core/text.hpp"

#include <array>
#include <set>

namespace headgate::translate {
namespace {

constexpr std::array<std::pair<const char*, const char*>, 5> kPeriods{
    std::pair{"second", "second"}, {"minute", "minute"}, {"hour", "hour"}, {"day", "day"}, {"month", "month"}};

/// Who is counted. A consumer is known by its key; Kong counts the address of all others.
void set_per(const KongWork& work, const TreeNode& plugin, const TreeNode& config, DraftEntry& limit) {
  const auto by = config.get("limit_by", "consumer");
  const auto header = config.get("header_name");
  if (by == "consumer" || by == "credential") {
    limit.set("per", json_text(work.knows_keys ? "api_key" : "client_ip"));
    if (work.knows_keys) limit.set("if_absent", json_text("client_ip"));
  } else if (by == "ip") {
    limit.set("per", json_text("client_ip"));
  } else if (by == "header" && !header.empty()) {
    limit.set("per", json_text("header:" + header));
    limit.set("if_absent", json_text("client_ip"));
  } else if (by == "service") {
    limit.set("per", json_text("upstream"));
  } else {
    limit.set("per", json_text("client_ip"));
    say(limit, Matter::lost, plugin.spot, "limit_by: " + by,
        "headgate counts by the address, by a field, a token or a key");
  }
}

void take_redis(KongWork& work, const TreeNode& plugin, const TreeNode& config) {
  if (config.get("policy", "local") != "redis" || !work.draft.redis.fields.empty()) return;
  const auto& nested = config["redis"];
  const auto host = nested.get("host", config.get("redis_host"));
  const auto port = nested.get("port", config.get("redis_port", "6379"));
  if (host.empty()) return;
  work.draft.redis.spot = plugin.spot;
  work.draft.redis.comments.emplace_back("Counted in Redis, as with policy: redis.");
  work.draft.redis.set("url", json_text("redis://" + host + ':' + port));
  if (nested.has("password") || config.has("redis_password"))
    say(work.draft.redis, Matter::lost, plugin.spot, "redis password",
        "write \"password\": \"${REDIS_PASSWORD}\"; secrets are not copied");
}

/// The limit of a plugin, made once.
std::string limit_of(KongWork& work, const TreeNode& plugin) {
  if (const auto known = work.limits.find(&plugin); known != work.limits.end()) return known->second;
  const auto& config = plugin["config"];
  DraftEntry limit;
  limit.spot = plugin.spot;
  limit.from = "rate-limiting";
  const auto rates = kong_rates(config, limit);
  if (rates.empty()) {
    work.draft.say(Matter::lost, plugin.spot, "rate-limiting", "it has no rate that was understood");
    return work.limits[&plugin] = {};
  }
  const auto of = work.owners.find(&plugin);
  const auto owner = of == work.owners.end() ? std::string() : of->second;
  limit.name = free_name(owner.empty() ? "rate-limiting" : owner, work.draft.limit_names);
  limit.set("rate", rates);
  set_per(work, plugin, config, limit);
  limit.set("algorithm", json_text("fixed_window"));
  if (!work.limited_owners.empty() && limit.get("per") == json_text("api_key"))
    limit.set("exempt", object_of({{"api_key", texts_of(work.limited_owners)}}));  // these have their own
  if (config.get("policy", "local") == "local" || config.get("policy") == "cluster")
    limit.comments.emplace_back("policy: " + config.get("policy", "local") +
                                ": each gateway counts by itself unless there is a \"redis\".");
  if (is_true(config.get("fault_tolerant", "true")) && config.get("policy") == "redis")
    limit.set("if_redis_down", json_text("allow"));
  if (config.has("error_code") && config.get("error_code") != "429")
    say(limit, Matter::differs, plugin.spot, "error_code: " + config.get("error_code"), "headgate rejects with 429");
  if (is_true(config.get("hide_client_headers")))
    say(limit, Matter::aside, plugin.spot, "hide_client_headers", "see \"rejection\": { \"headers\": \"none\" }");
  take_redis(work, plugin, config);
  work.limits[&plugin] = limit.name;
  put_limit(work.draft, std::move(limit));
  return work.limits[&plugin];
}

void require_key(KongWork& work, const TreeNode& plugin, DraftEntry& route) {
  route.set("require", json_text("api_key"));
  if (work.key_auth != nullptr) {
    if ((*work.key_auth)["config"]["key_names"].texts() != plugin["config"]["key_names"].texts())
      say(route, Matter::lost, plugin.spot, "key_names",
          "headgate looks for keys in one place, that of the first key-auth");
    return;
  }
  work.key_auth = &plugin;
  const auto& config = plugin["config"];
  auto& identity = work.draft.identity;
  auto names = config["key_names"].texts();
  if (names.empty()) names = {"apikey"};
  std::vector<std::pair<std::string, std::string>> members;
  if (is_true(config.get("key_in_header", "true"))) members.emplace_back("header", json_text(names.front()));
  if (is_true(config.get("key_in_query", "true"))) members.emplace_back("query", json_text(names.front()));
  if (!is_true(config.get("hide_credentials"))) members.emplace_back("pass_on", "true");
  if (work.knows_keys) {
    members.emplace_back("caller_headers", object_of({{"X-Consumer-Username", json_text("owner")}}));
    say(identity, Matter::differs, plugin.spot, "X-Consumer-ID",
        "servers get the consumer's name in X-Consumer-Username, and neither X-Consumer-ID nor X-Consumer-Custom-ID "
        "nor "
        "X-Credential-Identifier");
  }
  if (!work.keys.empty()) members.emplace_back("keys", work.keys);
  if (!work.knows_keys) {
    say(identity, Matter::lost, plugin.spot, "key-auth", "no consumer has a key: write them in \"keys\" or \"file\"");
    work.knows_keys = true;
  }
  if (names.size() > 1)
    say(identity, Matter::lost, plugin.spot, "key_names",
        "only the first is taken over: \"header\" may list further fields, and there is one \"query\"");
  identity.set("api_key", object_of(members));
}

void take_request_size(const TreeNode& config, DraftEntry& route) {
  const auto size = number_in(config.get("allowed_payload_size", "128"));
  const auto unit = config.get("size_unit", "megabytes");
  if (size == kNoNumber || size > 1'000'000'000) return;
  route.set("max_body", json_text(std::to_string(size) + (unit == "bytes" ? "" : unit == "kilobytes" ? "KiB" : "MiB")));
}

/// "X-A:1" of request-transformer.
std::vector<std::pair<std::string, std::string>> pairs_of(const TreeNode& list) {
  std::vector<std::pair<std::string, std::string>> out;
  for (const auto& text : list.texts()) {
    const auto colon = text.find(':');
    if (colon != std::string::npos)
      out.emplace_back(text.substr(0, colon), json_text(trimmed(std::string_view(text).substr(colon + 1))));
  }
  return out;
}

void transform(const TreeNode& plugin, const char* key, DraftEntry& route) {
  const auto& config = plugin["config"];
  std::vector<std::pair<std::string, std::string>> members;
  if (const auto remove = config["remove"]["headers"].texts(); !remove.empty())
    members.emplace_back("remove", texts_of(remove));
  auto set = pairs_of(config["replace"]["headers"]);
  const auto add = pairs_of(config["add"]["headers"]);
  if (!set.empty()) members.emplace_back("set", object_of(set));
  if (!add.empty()) members.emplace_back("add", object_of(add));
  if (!members.empty()) route.set(key, object_of(members));
  for (const auto* section : {"remove", "replace", "add", "rename", "append"})
    for (const auto& [name, value] : config[section].members)
      if (name != "headers" && !value.texts().empty())
        say(route, Matter::lost, value.spot, std::string(section) + '.' + name,
            "headgate changes fields, and neither bodies nor queries");
}

void take_addresses(const TreeNode& plugin, DraftEntry& route) {
  const auto& config = plugin["config"];
  const auto both = [&config](const char* key, const char* older) {
    const auto texts = config[key].texts();
    return texts.empty() ? config[older].texts() : texts;
  };
  set_addresses(address_rules(both("allow", "whitelist"), both("deny", "blacklist"), plugin.spot), route);
  if (config.has("status") && config.get("status") != "403")
    say(route, Matter::differs, plugin.spot, "status: " + config.get("status"), "headgate refuses addresses with 403");
}

void cors(const TreeNode& plugin, DraftEntry& route) {
  const auto& config = plugin["config"];
  std::vector<std::pair<std::string, std::string>> members;
  auto origins = config["origins"].texts();
  if (origins.empty()) origins = {"*"};
  members.emplace_back("origins", text_or_list(origins));
  if (const auto methods = config["methods"].texts(); !methods.empty())
    members.emplace_back("methods", texts_of(methods));
  if (const auto headers = config["headers"].texts(); !headers.empty())
    members.emplace_back("headers", texts_of(headers));
  if (const auto expose = config["exposed_headers"].texts(); !expose.empty())
    members.emplace_back("expose", texts_of(expose));
  if (is_true(config.get("credentials"))) members.emplace_back("credentials", "true");
  if (const auto age = number_in(config.get("max_age")); age != kNoNumber)
    members.emplace_back("max_age", json_text(std::to_string(age) + "s"));
  route.set("cors", object_of(members));
}

}  // namespace

void say_of_plugin(Draft& draft, const TreeNode& plugin) {
  static const std::map<std::string, std::pair<Matter, const char*>, std::less<>> kOthers = {
      {"prometheus", {Matter::aside, "headgate's admin interface has /metrics"}},
      {"correlation-id", {Matter::aside, "headgate gives each request an id: X-Request-Id"}},
      {"file-log", {Matter::aside, "headgate has its own log: \"log\""}},
      {"http-log", {Matter::aside, "headgate has its own log: \"log\""}},
      {"tcp-log", {Matter::aside, "headgate has its own log: \"log\""}},
      {"zipkin", {Matter::aside, "see \"tracing\""}},
      {"opentelemetry", {Matter::aside, "see \"tracing\""}},
      {"jwt", {Matter::lost, "write \"identity\": { \"jwt\" }, and \"require\": \"jwt\" in routes"}},
      {"basic-auth", {Matter::lost, "write \"basic\" in the routes, with a file that htpasswd -B makes"}},
      {"acl", {Matter::lost, "write \"tags\" beside a key, and \"require\": { \"api_key\": { \"tags\" } }"}},
      {"proxy-cache", {Matter::lost, "headgate has no cache"}},
      {"rate-limiting-advanced", {Matter::lost, "write a limit with \"sliding_window\""}},
      {"response-ratelimiting",
       {Matter::lost, "write a limit whose cost is a field of the answer: \"response_header\""}}};
  static const std::set<std::string, std::less<>> kTranslated = {
      "rate-limiting",        "key-auth", "request-size-limiting", "request-transformer",
      "response-transformer", "cors",     "ip-restriction"};
  const auto name = plugin.get("name");
  if (plugin.has("enabled") && !is_true(plugin.get("enabled")))
    return draft.say(Matter::aside, plugin.spot, name, "it is not enabled");
  if (kTranslated.contains(name)) return;
  const auto other = kOthers.find(name);
  if (other == kOthers.end())
    draft.say(Matter::lost, plugin.spot, "plugin " + name,
              "headgate has no plugins, and import does not know this one");
  else
    draft.say(other->second.first, plugin.spot, "plugin " + name, other->second.second);
}

std::string kong_rates(const TreeNode& config, DraftEntry& limit) {
  std::vector<std::string> rates;
  for (const auto& [key, unit] : kPeriods) {
    const auto count = number_in(config.get(key));
    if (count != kNoNumber && count > 0) rates.push_back(rate_of(count, unit));
  }
  if (config.has("year"))
    say(limit, Matter::lost, config["year"].spot, "year: " + config.get("year"),
        "headgate's longest period of the calendar is a month");
  if (rates.empty()) return {};
  return rates.size() == 1 ? rates.front() : list_of(rates);
}

void apply_plugins(KongWork& work, const KongPlugins& plugins, DraftEntry& route) {
  for (const auto& [name, plugin] : plugins) {
    if (plugin->has("enabled") && !is_true(plugin->get("enabled"))) continue;
    if (name == "rate-limiting") {
      if (const auto limit = limit_of(work, *plugin); !limit.empty()) route.use(limit);
    }
    if (name == "key-auth") require_key(work, *plugin, route);
    if (name == "request-size-limiting") take_request_size((*plugin)["config"], route);
    if (name == "request-transformer") transform(*plugin, "request_headers", route);
    if (name == "response-transformer") transform(*plugin, "response_headers", route);
    if (name == "cors") cors(*plugin, route);
    if (name == "ip-restriction") take_addresses(*plugin, route);
  }
}

}  // namespace headgate::translate
