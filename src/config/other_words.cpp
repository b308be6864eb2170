#include "other_words.hpp"

#include <algorithm>
#include <array>

namespace headgate::config {
namespace {

struct Entry {
  std::string_view section;
  std::string_view word;
  std::string_view key;
  std::string_view help;  // '#' stands for the number that the user wrote
};

constexpr std::string_view kName = R"(name a limit of "limits": "limits": ["per-ip"])";
constexpr std::string_view kDefine =
    R"(write "limits": { "per-ip": { "rate": "10/second", "per": "client_ip" } }, and "limits": ["per-ip"] in a route)";
constexpr std::string_view kPeriod = R"(write the count and the period as one: "rate": "#/minute")";
constexpr std::string_view kPathHelp = R"(write "path": "/v1/*")";
constexpr std::string_view kTo = R"(write "to": "app", and "upstreams": { "app": "http://127.0.0.1:3000" } at the top)";
constexpr std::string_view kPerHelp = R"(write "per": "client_ip", "api_key", "jwt.sub" or "header:X-Tenant")";

constexpr std::string_view kCostHelp =
    R"(write it where a route names the limit: "limits": [{ "use": "plan", "cost": 10 }])";

constexpr std::string_view kServesNoFiles =
    "headgate serves no directories: put a web server behind it, and write \"to\": \"site\" (docs/not_here.md); one "
    "file: "
    "\"respond\": { \"body_file\": \"page.html\" }";
constexpr std::string_view kCache =
    "headgate keeps no answers: put a cache behind it, so that limits still count what the cache answers "
    "(docs/not_here.md)";
constexpr std::string_view kLargestBody = R"(write "max_body": "10MiB" in the route, or in "all_routes")";
constexpr std::string_view kManyAtOnce =
    R"(write "limits": { "calls": { "in_flight": 20, "per": "client_ip" } }, and "limits": ["calls"] in a route)";
constexpr std::string_view kAddressRules =
    R"(write "addresses": { "allow": ["10.0.0.0/8"], "deny": ["10.66.0.0/16"] } in a route, or in "all_routes")";
constexpr std::string_view kCallerChecks =
    R"(write who may use a route in the route, beside "require"; docs/configuration.md has every key of routes[])";
constexpr std::string_view kPasswords =
    R"(write "basic": "users.htpasswd" in a route, with a file that "htpasswd -B" makes)";
constexpr std::string_view kCompressed = R"(write "compress": true in a route, or in "all_routes")";
constexpr std::string_view kPlugins =
    R"(there are no plugins: limits, "cors", "require", "request_headers" and others are keys of a route; "headgate import" translates yours)";
constexpr std::string_view kScripts = "headgate runs no scripts (docs/not_here.md)";
constexpr std::string_view kOwnPages = R"(write "error_pages": { "files": { "404": "pages/404.html" } } at the top)";
constexpr std::string_view kSetField = R"(write "request_headers": { "set": { "X-Name": "value" } })";
constexpr std::string_view kAddField = R"(write "response_headers": { "set": { "X-Name": "value" } })";
constexpr std::string_view kSignIn =
    "headgate signs nobody in: put oauth2-proxy or your application behind it (docs/not_here.md); tokens are verified "
    "with "
    "\"require\": \"jwt\"";

constexpr std::array kEntries{
    // nginx
    Entry{"limit", "limit_req", "rate", R"(write "rate": "10/second", "burst": 20)"},
    Entry{"limit", "limit_req_zone", "rate", R"(write "rate": "10/second", "per": "client_ip")"},
    Entry{"limit", "zone", "",
          R"(leave it out: how many keys are kept is "memory": { "max_keys": 1000000 } at the top)"},
    Entry{"limit", "nodelay", "", R"(leave it out: nothing is delayed unless a limit has "wait")"},
    Entry{"limit", "delay", "wait", R"(write "wait": "500ms", the maximum delay of a request)"},
    Entry{"route", "limit_req", "limits", kName},
    Entry{"route", "location", "path", kPathHelp},
    Entry{"route", "proxy_pass", "to", kTo},
    Entry{"route", "server_name", "host", R"(write "host": "api.example.com")"},
    Entry{"configuration", "limit_req", "limits", kDefine},
    Entry{"configuration", "limit_req_zone", "limits", kDefine},
    Entry{"configuration", "http", "", R"(begin with "listen", "upstreams", "limits" and "routes")"},
    Entry{"configuration", "server", "listen", R"(write "listen": ":8080", and "routes": [ … ])"},
    Entry{"configuration", "location", "routes", R"(write "routes": [{ "path": "/*", "to": "app" }])"},
    Entry{"upstream", "least_conn", "balance", R"(write "balance": "least_in_flight")"},
    Entry{"upstream", "ip_hash", "balance", R"(write "balance": { "policy": "consistent_hash", "per": "client_ip" })"},
    Entry{"upstream", "hash", "balance", R"(write "balance": { "policy": "consistent_hash", "per": "header:X-User" })"},
    Entry{"upstream", "weights", "servers", R"(write "servers": [{ "url": "http://app-1:3000", "weight": 3 }])"},
    Entry{"upstream", "weight", "servers", R"(write "servers": [{ "url": "http://app-1:3000", "weight": # }])"},
    Entry{"route", "auth_request", "auth", R"(write "auth": "http://auth:8080/check")"},
    Entry{"route", "forwardAuth", "auth", R"(write "auth": { "url": "http://auth:8080/check", "copy": ["X-User"] })"},
    Entry{"route", "ext_authz", "auth", R"(write "auth": "http://auth:8080/check")"},
    Entry{"route", "client_max_body_size", "max_body", kLargestBody},
    Entry{"all_routes", "client_max_body_size", "max_body", kLargestBody},
    Entry{"configuration", "client_max_body_size", "", kLargestBody},
    Entry{"route", "limit_conn", "", kManyAtOnce},
    Entry{"configuration", "limit_conn", "", kManyAtOnce},
    Entry{"route", "limit_conn_zone", "", kManyAtOnce},
    Entry{"configuration", "limit_conn_zone", "", kManyAtOnce},
    Entry{"route", "root", "", kServesNoFiles},
    Entry{"configuration", "root", "", kServesNoFiles},
    Entry{"route", "alias", "", kServesNoFiles},
    Entry{"configuration", "alias", "", kServesNoFiles},
    Entry{"route", "index", "", kServesNoFiles},
    Entry{"configuration", "index", "", kServesNoFiles},
    Entry{"route", "try_files", "", kServesNoFiles},
    Entry{"configuration", "try_files", "", kServesNoFiles},
    Entry{"route", "autoindex", "", kServesNoFiles},
    Entry{"configuration", "autoindex", "", kServesNoFiles},
    Entry{"route", "proxy_cache", "", kCache},
    Entry{"configuration", "proxy_cache", "", kCache},
    Entry{"route", "proxy_cache_path", "", kCache},
    Entry{"configuration", "proxy_cache_path", "", kCache},
    Entry{"route", "proxy_cache_valid", "", kCache},
    Entry{"configuration", "proxy_cache_valid", "", kCache},
    Entry{"route", "allow", "addresses", kAddressRules},
    Entry{"all_routes", "allow", "addresses", kAddressRules},
    Entry{"configuration", "allow", "", kAddressRules},
    Entry{"route", "deny", "addresses", kAddressRules},
    Entry{"all_routes", "deny", "addresses", kAddressRules},
    Entry{"configuration", "deny", "", kAddressRules},
    Entry{"route", "auth_basic", "basic", kPasswords},
    Entry{"all_routes", "auth_basic", "", kPasswords},
    Entry{"configuration", "auth_basic", "", kPasswords},
    Entry{"route", "auth_basic_user_file", "basic", kPasswords},
    Entry{"route", "basicAuth", "basic", kPasswords},
    Entry{"all_routes", "basic", "", kPasswords},
    Entry{"route", "basic_auth", "basic", kPasswords},
    Entry{"all_routes", "basic_auth", "", kPasswords},
    Entry{"configuration", "basic_auth", "", kPasswords},
    Entry{"route", "satisfy", "", kCallerChecks},
    Entry{"all_routes", "satisfy", "", kCallerChecks},
    Entry{"configuration", "satisfy", "", kCallerChecks},
    Entry{"route", "gzip", "compress", kCompressed},
    Entry{"all_routes", "gzip", "compress", kCompressed},
    Entry{"configuration", "gzip", "", kCompressed},
    Entry{"route", "brotli", "compress", kCompressed},
    Entry{"all_routes", "brotli", "compress", kCompressed},
    Entry{"configuration", "brotli", "", kCompressed},
    Entry{"configuration", "error_page", "error_pages", kOwnPages},
    Entry{"route", "error_page", "", kOwnPages},
    Entry{"route", "proxy_set_header", "request_headers", kSetField},
    Entry{"all_routes", "proxy_set_header", "request_headers", kSetField},
    Entry{"route", "add_header", "response_headers", kAddField},
    Entry{"all_routes", "add_header", "response_headers", kAddField},
    // Kong
    Entry{"route", "plugins", "", kPlugins},
    Entry{"all_routes", "plugins", "", kPlugins},
    Entry{"configuration", "plugins", "", kPlugins},
    Entry{"limit", "second", "rate", R"(write the count and the period as one: "rate": "#/second")"},
    Entry{"limit", "minute", "rate", kPeriod},
    Entry{"limit", "hour", "rate", R"(write the count and the period as one: "rate": "#/hour")"},
    Entry{"limit", "day", "rate", R"(write the count and the period as one: "rate": "#/day")"},
    Entry{"limit", "month", "rate", R"(write "rate": "#/month" and "algorithm": "fixed_window")"},
    Entry{"limit", "year", "rate", R"(write the count and the period as one: "rate": "#/365d")"},
    Entry{"limit", "limit_by", "per", kPerHelp},
    Entry{"limit", "policy", "store", R"(write "store": "memory" or "redis")"},
    Entry{"limit", "fault_tolerant", "if_redis_down", R"(write "if_redis_down": "allow", "reject" or "count_locally")"},
    Entry{"route", "paths", "path", R"(write a route for each path: "path": "/v1/*")"},
    Entry{"route", "service", "to", kTo},
    Entry{"configuration", "services", "upstreams", R"(write "upstreams": { "app": "http://127.0.0.1:3000" })"},
    // Spring Cloud Gateway has these keys.
    Entry{"limit", "replenishRate", "rate", R"(write "rate": "#/second")"},
    Entry{"limit", "burstCapacity", "burst", R"(write "burst": #)"},
    Entry{"limit", "requestedTokens", "",
          R"(write the cost where a route names the limit: { "use": "per-ip", "cost": # })"},
    Entry{"limit", "keyResolver", "per", kPerHelp},
    Entry{"limit", "key-resolver", "per", kPerHelp},
    Entry{"route", "uri", "to", kTo},
    Entry{"route", "predicates", "path", kPathHelp},
    Entry{"route", "filters", "limits", kName},
    // Envoy
    Entry{"limit", "requests_per_unit", "rate", R"(write the count and the unit as one: "rate": "#/minute")"},
    Entry{"limit", "token_bucket", "rate", R"(write "rate": "100/minute", "burst": 100)"},
    Entry{"limit", "descriptors", "per", kPerHelp},
    Entry{"route", "cluster", "to", kTo},
    Entry{"route", "prefix", "path", kPathHelp},
    Entry{"configuration", "clusters", "upstreams", R"(write "upstreams": { "app": "http://127.0.0.1:3000" })"},
    Entry{"route", "ext_authz", "", kCallerChecks},
    Entry{"all_routes", "ext_authz", "", kCallerChecks},
    Entry{"configuration", "ext_authz", "", kCallerChecks},
    Entry{"route", "http_filters", "", kPlugins},
    Entry{"configuration", "http_filters", "", kPlugins},
    Entry{"route", "typed_per_filter_config", "", kPlugins},
    Entry{"configuration", "typed_per_filter_config", "", kPlugins},
    Entry{"route", "lua", "", kScripts},
    Entry{"configuration", "lua", "", kScripts},
    Entry{"route", "wasm", "", kScripts},
    Entry{"configuration", "wasm", "", kScripts},
    // Traefik
    Entry{"route", "middlewares", "", kPlugins},
    Entry{"configuration", "middlewares", "", kPlugins},
    Entry{"route", "forwardAuth", "", kCallerChecks},
    Entry{"configuration", "forwardAuth", "", kCallerChecks},
    Entry{"route", "basicAuth", "", kCallerChecks},
    Entry{"configuration", "basicAuth", "", kCallerChecks},
    Entry{"route", "digestAuth", "", kCallerChecks},
    Entry{"configuration", "digestAuth", "", kCallerChecks},
    Entry{"route", "ipAllowList", "", kCallerChecks},
    Entry{"configuration", "ipAllowList", "", kCallerChecks},
    Entry{"route", "ipWhiteList", "", kCallerChecks},
    Entry{"configuration", "ipWhiteList", "", kCallerChecks},
    Entry{"configuration", "compress", "", kCompressed},
    Entry{"route", "rateLimit", "limits", kName},
    Entry{"configuration", "rateLimit", "limits", kDefine},
    Entry{"route", "inFlightReq", "", kManyAtOnce},
    Entry{"configuration", "inFlightReq", "", kManyAtOnce},
    Entry{"route", "buffering", "max_body", kLargestBody},
    Entry{"route", "stripPrefix", "rewrite", R"(write "rewrite": { "strip_prefix": "/api" })"},
    Entry{"route", "oidc", "", kSignIn},
    Entry{"configuration", "oidc", "", kSignIn},
    Entry{"route", "openid_connect", "", kSignIn},
    Entry{"configuration", "openid_connect", "", kSignIn},
    Entry{"route", "oauth2", "", kSignIn},
    Entry{"configuration", "oauth2", "", kSignIn},
    // APISIX
    Entry{"limit", "count", "rate", R"(write the count and the time as one: "rate": "#/60s")"},
    Entry{"limit", "time_window", "rate", R"(write the count and the time as one: "rate": "100/#s")"},
    Entry{"limit", "rejected_code", "", R"(leave it out: a limit rejects with 429)"},
    // headgate has these keys in other places
    Entry{"route", "retry", "",
          R"(it belongs to the upstream: "upstreams": { "app": { "servers": […], "retry": { "attempts": 3 } } })"},
    Entry{"route", "cost", "limits", kCostHelp},
    Entry{"limit", "cost", "", kCostHelp},
    Entry{"configuration", "metrics", "admin",
          R"(they are at /metrics of the admin interface: "admin": { "listen": "127.0.0.1:9900" })"},
    Entry{
        "configuration", "tls", "listen",
        R"(it belongs to a listener: "listen": { "address": ":8443", "tls": { "certificate": …, "key": … } }; also to an upstream and to "redis")"},
    Entry{
        "configuration", "tiers", "limits",
        R"(they belong to a limit: "limits": { "plan": { "tiers": { "free": { "rate": "60/minute" } }, "default_tier": "free" } })"},
    Entry{"respond", "redirect", "",
          R"(write it in place of "respond", in the route: "redirect": { "to": "https://example.com/*" })"},
    Entry{"redis", "lease", "", R"(it belongs to a limit: "leases": "auto" or "off")"},
    Entry{"redis", "nodes", "cluster", R"(write "cluster": ["redis-1:6379", "redis-2:6379"])"},
    Entry{"jwt", "required_claims", "",
          R"(write it in a route: "require": { "jwt": { "claims": { "email_verified": true } } })"},
    // several gateways have these
    Entry{"limit", "key", "per", kPerHelp},
    Entry{"limit", "limit", "rate", R"(write "rate": "#/minute")"},
    Entry{"limit", "requests", "rate", R"(write the count and the period as one: "rate": "#/minute")"},
    Entry{"limit", "window", "rate", R"(write the count and the period as one: "rate": "100/#s")"},
    Entry{"limit", "period", "rate", R"(write the count and the period as one: "rate": "100/#s")"},
    Entry{"route", "rate_limit", "limits", kName},
    Entry{"route", "backend", "to", kTo},
    Entry{"route", "hosts", "host", R"(write a route for each host: "host": "api.example.com")"},
    Entry{"configuration", "rate_limits", "limits", kDefine},
    Entry{"configuration", "rate_limit", "limits", kDefine},
    Entry{"configuration", "backends", "upstreams", R"(write "upstreams": { "app": "http://127.0.0.1:3000" })"},
};

}  // namespace

std::optional<OtherWord> other_word(const Node& member, const Section& section) {
  // A tier has the same words as a limit.
  const auto name = section.name == "tier" ? std::string_view("limit") : section.name;
  const auto found = std::find_if(kEntries.begin(), kEntries.end(),
                                  [&](const Entry& each) { return each.section == name && each.word == member.key; });
  if (found == kEntries.end()) return std::nullopt;
  const bool here =
      std::any_of(section.keys.begin(), section.keys.end(), [&](const Key& key) { return key.name == found->key; });
  const bool number = member.kind == Kind::number && member.text.size() <= 12 &&
                      member.text.find_first_not_of("0123456789") == std::string::npos;
  OtherWord out{here ? found->key : std::string_view(), {}};
  for (const char c : found->help) out.help += c == '#' ? (number ? member.text : "10") : std::string(1, c);
  return out;
}

}  // namespace headgate::config
