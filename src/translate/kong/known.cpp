// The table of Kong's plugins, with the options that the importer reads.

#include "translate/kong/work.hpp"
#include "translate/words.hpp"

#include "headgate/core/text.hpp"

#include <algorithm>
#include <string_view>
#include <vector>

namespace headgate::translate {
namespace {

struct KnownPlugin {
  ImportWord known;
  KongKind kind;
  std::vector<std::string_view> options{};  ///< options that are read or have no effect
};

constexpr auto kHarmlessPlugin = KongKind::harmless;
constexpr auto kTranslatedPlugin = KongKind::translated;

const std::vector<KnownPlugin>& known_plugins() {
  static const std::string_view kLog = "headgate has its own log: \"log\"";
  static const std::string_view kMetrics = "headgate's admin interface has /metrics";
  static const std::string_view kTraces = "see \"tracing\"";
  static const std::vector<KnownPlugin> kAll = {
      {{"oauth2", Matter::closed,
        "headgate issues no tokens; let \"jwt\" in \"identity\" verify those of another server, or \"auth\" ask a "
        "service"},
       KongKind::guard},
      {{"oauth2-introspection", Matter::closed,
        "headgate asks no introspection endpoint; let \"auth\" ask a service that does"},
       KongKind::guard},
      {{"openid-connect", Matter::closed,
        "headgate has no sign-in; let \"jwt\" in \"identity\" verify the issuer's tokens, or \"auth\" ask a service "
        "such as oauth2-proxy"},
       KongKind::guard},
      {{"hmac-auth", Matter::closed,
        "headgate verifies no signatures of requests; let \"auth\" ask a service that does"},
       KongKind::guard},
      {{"ldap-auth", Matter::closed, "headgate asks no LDAP server; let \"auth\" ask a service that does"},
       KongKind::guard},
      {{"ldap-auth-advanced", Matter::closed, "headgate asks no LDAP server; let \"auth\" ask a service that does"},
       KongKind::guard},
      {{"session", Matter::closed, "headgate keeps no sessions; let \"auth\" ask a service that does"},
       KongKind::guard},
      {{"mtls-auth", Matter::closed,
        "write \"client_ca\" in \"tls\" of a listener, and \"require\": \"mtls\" in the route"},
       KongKind::guard},
      {{"bot-detection", Matter::closed,
        "write the values that are let in as \"headers\" of a route, or let \"auth\" ask a service"},
       KongKind::guard},
      {{"pre-function", Matter::closed, "headgate runs no scripts"}, KongKind::guard},
      {{"post-function", Matter::closed, "headgate runs no scripts"}, KongKind::guard},
      {{"aws-lambda", Matter::closed, "headgate calls no functions"}, KongKind::guard},
      {{"azure-functions", Matter::closed, "headgate calls no functions"}, KongKind::guard},
      {{"request-validator", Matter::closed, "headgate does not validate bodies"}, KongKind::guard},
      {{"prometheus", Matter::aside, kMetrics}, kHarmlessPlugin},
      {{"statsd", Matter::aside, kMetrics}, kHarmlessPlugin},
      {{"datadog", Matter::aside, kMetrics}, kHarmlessPlugin},
      {{"correlation-id", Matter::aside, "headgate gives each request an id: X-Request-Id"}, kHarmlessPlugin},
      {{"file-log", Matter::aside, kLog}, kHarmlessPlugin},
      {{"http-log", Matter::aside, kLog}, kHarmlessPlugin},
      {{"tcp-log", Matter::aside, kLog}, kHarmlessPlugin},
      {{"udp-log", Matter::aside, kLog}, kHarmlessPlugin},
      {{"syslog", Matter::aside, kLog}, kHarmlessPlugin},
      {{"loggly", Matter::aside, kLog}, kHarmlessPlugin},
      {{"kafka-log", Matter::aside, kLog}, kHarmlessPlugin},
      {{"zipkin", Matter::aside, kTraces}, kHarmlessPlugin},
      {{"opentelemetry", Matter::aside, kTraces}, kHarmlessPlugin},
      {{"grpc-web", Matter::differs, "headgate translates gRPC-Web for servers with \"protocol\": \"http2\""},
       kHarmlessPlugin},
      {{"proxy-cache", Matter::lost, "headgate has no cache"}, kHarmlessPlugin},
      {{"proxy-cache-advanced", Matter::lost, "headgate has no cache"}, kHarmlessPlugin},
      {{"response-ratelimiting", Matter::lost, "write a limit with a cost from a response field: \"response_header\""},
       kHarmlessPlugin},
      {{"basic-auth", Matter::closed, "write its users into a file, and \"basic\": FILE in the route"},
       kTranslatedPlugin,
       {"anonymous", "hide_credentials", "realm"}},
      {{.name = "key-auth", .becomes = "require, api_key"},
       kTranslatedPlugin,
       {"anonymous", "hide_credentials", "key_in_body", "key_in_header", "key_in_query", "key_names", "realm",
        "run_on_preflight"}},
      {{.name = "jwt", .becomes = "require, jwt"},
       kTranslatedPlugin,
       {"anonymous", "claims_to_verify", "cookie_names", "header_names", "key_claim_name", "maximum_expiration",
        "realm", "run_on_preflight", "secret_is_base64", "uri_param_names"}},
      {{.name = "acl", .becomes = "require"},
       kTranslatedPlugin,
       {"allow", "deny", "whitelist", "blacklist", "always_use_authenticated_groups", "hide_groups_header",
        "include_consumer_groups"}},
      {{.name = "ip-restriction", .becomes = "addresses"},
       kTranslatedPlugin,
       {"allow", "deny", "whitelist", "blacklist", "message", "status"}},
      {{.name = "request-termination", .becomes = "respond"},
       kTranslatedPlugin,
       {"body", "content_type", "echo", "message", "status_code", "trigger"}},
      {{.name = "request-size-limiting", .becomes = "max_body"},
       kTranslatedPlugin,
       {"allowed_payload_size", "size_unit"}},
      {{.name = "rate-limiting", .becomes = "limits"},
       kTranslatedPlugin,
       {"second",         "minute",         "hour",           "day",
        "month",          "year",           "limit_by",       "header_name",
        "path",           "policy",         "redis",          "redis_host",
        "redis_port",     "redis_password", "redis_database", "redis_timeout",
        "fault_tolerant", "error_code",     "error_message",  "hide_client_headers",
        "sync_rate"}},
      {{.name = "rate-limiting-advanced", .becomes = "limits"},
       kTranslatedPlugin,
       {"limit", "window_size", "window_type", "identifier", "header_name", "path", "strategy", "redis", "sync_rate",
        "namespace", "dictionary_name", "error_code", "error_message", "hide_client_headers"}},
      {{.name = "request-transformer", .becomes = "request_headers, rewrite"},
       kTranslatedPlugin,
       {"add", "append", "http_method", "remove", "rename", "replace", "dots_in_keys"}},
      {{.name = "response-transformer", .becomes = "response_headers"},
       kTranslatedPlugin,
       {"add", "append", "remove", "rename", "replace", "dots_in_keys"}},
      {{.name = "cors", .becomes = "cors"},
       kTranslatedPlugin,
       {"origins", "methods", "headers", "exposed_headers", "credentials", "max_age"}}};
  return kAll;
}

const KnownPlugin* known_plugin(std::string_view name) {
  const auto found = std::ranges::find_if(known_plugins(), [&](const auto& each) { return each.known.name == name; });
  return found == known_plugins().end() ? nullptr : &*found;
}

/// Returns whether the value of an option has no effect. Exports of Kong contain every option.
bool says_nothing(const TreeNode& value) {
  if (value.is_text()) return value.text.empty() || same_word(value.text, "false") || same_word(value.text, "null");
  return value.items.empty() && value.members.empty();
}

}  // namespace

std::span<const ImportWord> kong_words() {
  static const std::vector<ImportWord> kAll = [] {
    std::vector<ImportWord> out;
    for (const auto& each : known_plugins()) out.push_back(each.known);
    return out;
  }();
  return kAll;
}

KongKind kong_kind(std::string_view plugin) noexcept {
  const auto* known = known_plugin(plugin);
  return known == nullptr ? KongKind::guard : known->kind;
}

void say_of_plugin(Draft& draft, const TreeNode& plugin) {
  const auto name = plugin.get("name");
  if (!is_enabled(plugin)) return draft.say(Matter::aside, plugin.spot, name, "it is not enabled");
  const auto* known = known_plugin(name);
  if (known == nullptr || known->kind == KongKind::guard) return;  // the routes of this plugin get the remark instead
  if (known->kind == KongKind::harmless)
    return draft.say(known->known.matter, plugin.spot, "plugin " + name, std::string(known->known.why));
  for (const auto& [key, value] : plugin["config"].members)
    if (!says_nothing(value) && std::ranges::find(known->options, key) == known->options.end())
      draft.say(Matter::lost, value.spot, name + ": " + key, "headgate import does not read this option");
}

}  // namespace headgate::translate
