// The plugins of Kong that are known, with those of their options that are read.

#include "translate/kong/work.hpp"

#include "headgate/core/text.hpp"

#include <algorithm>
#include <string_view>
#include <vector>

namespace headgate::translate {
namespace {

struct KnownPlugin {
  std::string_view name;
  KongKind kind;
  Matter matter;                            ///< of those that are not translated
  std::string_view why;                     ///< the same
  std::vector<std::string_view> options{};  ///< that are read, or change nothing
};

constexpr auto kHarmlessPlugin = KongKind::harmless;
constexpr auto kTranslatedPlugin = KongKind::translated;

const std::vector<KnownPlugin>& known_plugins() {
  static const std::string_view kLog = "headgate has its own log: \"log\"";
  static const std::string_view kMetrics = "headgate's admin interface has /metrics";
  static const std::string_view kTraces = "see \"tracing\"";
  static const std::vector<KnownPlugin> kAll = {
      {"prometheus", kHarmlessPlugin, Matter::aside, kMetrics},
      {"statsd", kHarmlessPlugin, Matter::aside, kMetrics},
      {"datadog", kHarmlessPlugin, Matter::aside, kMetrics},
      {"correlation-id", kHarmlessPlugin, Matter::aside, "headgate gives each request an id: X-Request-Id"},
      {"file-log", kHarmlessPlugin, Matter::aside, kLog},
      {"http-log", kHarmlessPlugin, Matter::aside, kLog},
      {"tcp-log", kHarmlessPlugin, Matter::aside, kLog},
      {"udp-log", kHarmlessPlugin, Matter::aside, kLog},
      {"syslog", kHarmlessPlugin, Matter::aside, kLog},
      {"loggly", kHarmlessPlugin, Matter::aside, kLog},
      {"kafka-log", kHarmlessPlugin, Matter::aside, kLog},
      {"zipkin", kHarmlessPlugin, Matter::aside, kTraces},
      {"opentelemetry", kHarmlessPlugin, Matter::aside, kTraces},
      {"grpc-web", kHarmlessPlugin, Matter::differs,
       "headgate translates gRPC-Web for servers with \"protocol\": \"http2\""},
      {"proxy-cache", kHarmlessPlugin, Matter::lost, "headgate has no cache"},
      {"proxy-cache-advanced", kHarmlessPlugin, Matter::lost, "headgate has no cache"},
      {"response-ratelimiting", kHarmlessPlugin, Matter::lost,
       "write a limit whose cost is a field of the answer: \"response_header\""},
      {"basic-auth", kTranslatedPlugin, Matter::lost, "", {"anonymous", "hide_credentials", "realm"}},
      {"key-auth",
       kTranslatedPlugin,
       Matter::lost,
       "",
       {"anonymous", "hide_credentials", "key_in_body", "key_in_header", "key_in_query", "key_names", "realm",
        "run_on_preflight"}},
      {"jwt",
       kTranslatedPlugin,
       Matter::lost,
       "",
       {"anonymous", "claims_to_verify", "cookie_names", "header_names", "key_claim_name", "maximum_expiration",
        "realm", "run_on_preflight", "secret_is_base64", "uri_param_names"}},
      {"acl",
       kTranslatedPlugin,
       Matter::lost,
       "",
       {"allow", "deny", "whitelist", "blacklist", "always_use_authenticated_groups", "hide_groups_header",
        "include_consumer_groups"}},
      {"ip-restriction",
       kTranslatedPlugin,
       Matter::lost,
       "",
       {"allow", "deny", "whitelist", "blacklist", "message", "status"}},
      {"request-termination",
       kTranslatedPlugin,
       Matter::lost,
       "",
       {"body", "content_type", "echo", "message", "status_code", "trigger"}},
      {"request-size-limiting", kTranslatedPlugin, Matter::lost, "", {"allowed_payload_size", "size_unit"}},
      {"rate-limiting",
       kTranslatedPlugin,
       Matter::lost,
       "",
       {"second",         "minute",         "hour",           "day",
        "month",          "year",           "limit_by",       "header_name",
        "path",           "policy",         "redis",          "redis_host",
        "redis_port",     "redis_password", "redis_database", "redis_timeout",
        "fault_tolerant", "error_code",     "error_message",  "hide_client_headers",
        "sync_rate"}},
      {"rate-limiting-advanced",
       kTranslatedPlugin,
       Matter::lost,
       "",
       {"limit", "window_size", "window_type", "identifier", "header_name", "path", "strategy", "redis", "sync_rate",
        "namespace", "dictionary_name", "error_code", "error_message", "hide_client_headers"}},
      {"request-transformer",
       kTranslatedPlugin,
       Matter::lost,
       "",
       {"add", "append", "http_method", "remove", "rename", "replace", "dots_in_keys"}},
      {"response-transformer",
       kTranslatedPlugin,
       Matter::lost,
       "",
       {"add", "append", "remove", "rename", "replace", "dots_in_keys"}},
      {"cors",
       kTranslatedPlugin,
       Matter::lost,
       "",
       {"origins", "methods", "headers", "exposed_headers", "credentials", "max_age"}}};
  return kAll;
}

const KnownPlugin* known_plugin(std::string_view name) {
  const auto found = std::ranges::find_if(known_plugins(), [&](const auto& each) { return each.name == name; });
  return found == known_plugins().end() ? nullptr : &*found;
}

/// Whether it says nothing: Kong's exports have every option.
bool says_nothing(const TreeNode& value) {
  if (value.is_text()) return value.text.empty() || same_word(value.text, "false") || same_word(value.text, "null");
  return value.items.empty() && value.members.empty();
}

}  // namespace

KongKind kong_kind(std::string_view plugin) noexcept {
  const auto* known = known_plugin(plugin);
  return known == nullptr ? KongKind::guard : known->kind;
}

void say_of_plugin(Draft& draft, const TreeNode& plugin) {
  const auto name = plugin.get("name");
  if (!is_enabled(plugin)) return draft.say(Matter::aside, plugin.spot, name, "it is not enabled");
  const auto* known = known_plugin(name);
  if (known == nullptr || known->kind == KongKind::guard) return;  // its routes say so
  if (known->kind == KongKind::harmless)
    return draft.say(known->matter, plugin.spot, "plugin " + name, std::string(known->why));
  for (const auto& [key, value] : plugin["config"].members)
    if (!says_nothing(value) && std::ranges::find(known->options, key) == known->options.end())
      draft.say(Matter::lost, value.spot, name + ": " + key, "headgate import does not read this option");
}

}  // namespace headgate::translate
