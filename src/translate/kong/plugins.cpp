// Translates rate-limiting and the other plugins that do not depend on who the caller is.

#include "translate/draft/json.hpp"
#include "translate/kong/work.hpp"

#include "headgate/core/text.hpp"

#include <array>

namespace headgate::translate {
namespace {

constexpr std::array<std::pair<const char*, const char*>, 5> kPeriods{
    std::pair{"second", "second"}, {"minute", "minute"}, {"hour", "hour"}, {"day", "day"}, {"month", "month"}};

/// Sets what a limit counts by. Kong counts consumers by their keys, and other callers by their addresses.
void set_per(const KongWork& work, const TreeNode& plugin, const TreeNode& config, DraftEntry& limit) {
  const auto by = config.get("limit_by", config.get("identifier", "consumer"));
  const auto header = config.get("header_name");
  if (by == "consumer" || by == "credential") {
    const bool keys = !work.keys.empty();
    limit.set("per", json_text(keys ? "api_key" : "client_ip"));
    if (keys) limit.set("if_absent", json_text("client_ip"));
    if (!work.issuers.empty())
      say(limit, Matter::lost, plugin.spot, "limit_by: " + by,
          "callers with a token are counted by address: write \"per\": \"jwt.iss\" for routes that only they use");
  } else if (by == "ip") {
    limit.set("per", json_text("client_ip"));
  } else if (by == "header" && !header.empty()) {
    limit.set("per", json_text("header:" + header));
    limit.set("if_absent", json_text("client_ip"));
  } else if (by == "service") {
    limit.set("per", json_text("upstream"));
  } else {
    limit.set("per", json_text("client_ip"));
    say(limit, Matter::lost, plugin.spot, "limit_by: " + by, "it is counted by address: write the key in \"per\"");
  }
}

void take_redis(KongWork& work, const TreeNode& plugin, const TreeNode& config) {
  if ((config.get("policy") != "redis" && config.get("strategy") != "redis") || !work.draft.redis.fields.empty())
    return;
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

/// Returns the rates of rate-limiting-advanced, which has counts and windows in two lists.
std::string advanced_rates(const TreeNode& config) {
  const auto counts = config["limit"].texts();
  const auto sizes = config["window_size"].texts();
  std::vector<std::string> rates;
  for (std::size_t i = 0; i < counts.size() && i < sizes.size(); ++i) {
    const auto count = number_in(counts[i]);
    const auto size = number_in(sizes[i]);
    if (count == kNoNumber || count == 0 || size == kNoNumber || size == 0) continue;
    rates.push_back(rate_of(count, std::to_string(size) + "s"));
  }
  if (rates.empty()) return {};
  return rates.size() == 1 ? rates.front() : list_of(rates);
}

/// Returns the limit of a plugin, and creates it at the first call.
std::string limit_of(KongWork& work, const TreeNode& plugin) {
  if (const auto known = work.limits.find(&plugin); known != work.limits.end()) return known->second;
  const auto& config = plugin["config"];
  DraftEntry limit;
  limit.spot = plugin.spot;
  limit.from = plugin.get("name");
  const bool advanced = limit.from == "rate-limiting-advanced";
  const auto rates = advanced ? advanced_rates(config) : kong_rates(config, limit);
  if (rates.empty()) {
    work.draft.say(Matter::lost, plugin.spot, limit.from, "none of its rates was understood");
    return work.limits[&plugin] = {};
  }
  const auto of = work.owners.find(&plugin);
  const auto owner = of == work.owners.end() ? std::string() : of->second;
  limit.name = free_name(owner.empty() ? limit.from : owner, work.draft.limit_names);
  limit.set("rate", rates);
  set_per(work, plugin, config, limit);
  const bool slides = advanced && config.get("window_type", "sliding") == "sliding";
  limit.set("algorithm", json_text(slides ? "sliding_window" : "fixed_window"));
  if (!work.limited_owners.empty() && limit.get("per") == json_text("api_key"))
    // these consumers have limits of their own
    limit.set("exempt", object_of({{"api_key", texts_of(work.limited_owners)}}));
  const auto policy = config.get(advanced ? "strategy" : "policy", "local");
  if (policy == "local" || policy == "cluster")
    limit.comments.emplace_back((advanced ? "strategy: " : "policy: ") + policy +
                                ": each gateway counts by itself unless there is a \"redis\".");
  if (is_true(config.get("fault_tolerant", "true")) && policy == "redis")
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

void take_request_size(const TreeNode& config, DraftEntry& route) {
  const auto size = number_in(config.get("allowed_payload_size", "128"));
  const auto unit = config.get("size_unit", "megabytes");
  if (size == kNoNumber || size > 1'000'000'000) return;
  route.set("max_body", json_text(std::to_string(size) + (unit == "bytes" ? "" : unit == "kilobytes" ? "KiB" : "MiB")));
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

std::string kong_rates(const TreeNode& config, DraftEntry& limit) {
  std::vector<std::string> rates;
  for (const auto& [key, unit] : kPeriods) {
    const auto count = number_in(config.get(key));
    if (count != kNoNumber && count > 0) rates.push_back(rate_of(count, unit));
  }
  if (config.has("year"))
    say(limit, Matter::lost, config["year"].spot, "year: " + config.get("year"),
        "headgate's longest calendar period is a month");
  if (rates.empty()) return {};
  return rates.size() == 1 ? rates.front() : list_of(rates);
}

void apply_plugins(KongWork& work, const KongPlugins& plugins, DraftEntry& route) {
  for (const auto& [name, plugin] : plugins) {
    if (kong_kind(name) != KongKind::translated) continue;
    if (name == "rate-limiting" || name == "rate-limiting-advanced")
      if (const auto limit = limit_of(work, *plugin); !limit.empty()) route.use(limit);
    if (name == "request-size-limiting") take_request_size((*plugin)["config"], route);
    if (name == "request-transformer") transform_requests(*plugin, route);
    if (name == "response-transformer") transform_responses(*plugin, route);
    if (name == "cors") cors(*plugin, route);
  }
  apply_access(work, plugins, route);
}

}  // namespace headgate::translate
