// The keys at the top of the file, and small sections of it.

#include "table.hpp"

#include "config/text/document.hpp"
#include "table_shapes.hpp"

#include "headgate/config/config.hpp"
#include "headgate/core/text.hpp"

namespace headgate::config {
namespace {

// memory

constexpr Shape kMaxKeys = integer(1'000, 1'000'000'000);
constexpr Key kMemoryKeys[] = {
    {"max_keys", &kMaxKeys, kOfOptions, "1000000",
     "Maximum number of counters. Beyond it, counters with nothing used are removed first, then the least recently "
     "used",
     into<&limit::MemoryOptions::max_keys>},
};
constexpr Section kMemory{"memory", "memory", "Counters of this gateway alone.", kMemoryKeys};

constexpr Shape kUsagePath = text("a path", check_usage_path);
// the file

constexpr Shape kLimitShape = section(kLimitSection);
constexpr Shape kLimits = map("an object of limits by name", kLimitShape);
constexpr Shape kInstance = text("a name", check_instance);
constexpr Shape kWorkers = integer(0, 1'024);
constexpr Shape kIdentityShape = section(kIdentitySection);
constexpr Shape kRedisShape = section(kRedisSection);
constexpr Shape kSheddingShape = section(kSheddingSection);
constexpr Shape kMemoryShape = section(kMemory);
constexpr Shape kWebhookShape = section(kWebhookSection);
constexpr Shape kTracingShape = section(kTracingSection);
constexpr Shape kAllRoutesShape = section(kAllRoutesSection);
constexpr Shape kBillingShape = section(kBillingSection);
constexpr Shape kIncludePath = text("a file's path, or a pattern", check_include);
constexpr Shape kIncludePaths = list("a list of files", kIncludePath, 1, 10'000);
constexpr const Shape* kIncludeForms[] = {&kIncludePath, &kIncludePaths};
constexpr Shape kInclude = either("a file's path or a list of them", kIncludeForms);
constexpr Shape kAccepted = text("a piece of advice", check_advice_entry);
constexpr Shape kAllAccepted = list("a list of advice", kAccepted, 1, 1'000);
constexpr Key kRootKeys[] = {
    {"$schema", &kText, "", R"("./headgate.schema.json")", "Schema for editors; headgate does not read it"},
    {"include", &kInclude, "", R"(["routes/*.json"])",
     "Further files of this configuration, relative to this one; `*` in the last segment matches any text. Lists are "
     "joined, and objects by name; every other key is in one file only"},
    {"candidate", &kFilePath, "", R"("next.json")",
     "Another configuration that decides about the same requests and is only compared; see "
     "[candidate.md](candidate.md)"},
    {"instance", &kInstance, kOfOptions, R"("${HOSTNAME:-headgate}")", "Name of this gateway in JSON logs and in `Via`",
     into<&Config::instance>},
    {"via", &kBoolean, "true", "false",
     "Whether `Via` is added to forwarded messages, as RFC 9110 requires. Some servers, such as nginx, do not compress "
     "answers to requests with `Via`"},
    {"listen", &kListen, "", R"(":8080")", "Addresses where clients connect", required},
    {"workers", &kWorkers, kOfOptions, "2", "Number of threads; 0 is one per core", into<&Config::workers>},
    {"drain_delay", &kDelay, kOfOptions, R"("5s")",
     "How long listeners stay open after SIGTERM while `/readyz` answers 503 and every answer closes its connection, "
     "so that load balancers notice",
     into<&Config::drain_delay>},
    {"drain", &kDuration, kOfOptions, R"("20s")", "How long headgate waits for requests in flight after `drain_delay`",
     into<&Config::drain>},
    {"upgrade_drain", &kDuration, kOfOptions, R"("10m")",
     "How long a process replaced by an upgrade waits for its connections, such as WebSockets",
     into<&Config::upgrade_drain>},
    {"pid_file", &kFilePath, "", R"("/run/headgate/headgate.pid")",
     "File with the process id while the process serves; an upgrade replaces the id. Default: none",
     into<&Config::pid_file>},
    {"admin", &kAdminShape, "", R"({ "listen": "127.0.0.1:9900" })",
     "Metrics and administration, never on a public port; `\"off\"` disables them. Default: at `127.0.0.1:9900`"},
    {"identity", &kIdentityShape, "", R"({ "trusted_proxies": ["10.0.0.0/8"] })", "How callers are identified",
     into<&Config::identity>},
    {"redis", &kRedisShape, "", R"({ "url": "redis://127.0.0.1:6379" })",
     "Redis for counters shared by several gateways"},
    {"memory", &kMemoryShape, "", R"({ "max_keys": 1000000 })", "Counters of this gateway alone",
     into<&Config::memory>},
    {"upstreams", &kUpstreams, "{}", R"({ "app": "http://127.0.0.1:3000" })", "Servers that requests go to, by name"},
    {"limits", &kLimits, "{}", R"({ "per-ip": { "rate": "100/minute", "per": "client_ip" } })", "Limits by name"},
    {"waiting_rooms", &kRoomMap, "{}", R"({ "sale": { "rate": "50/second", "secret": "${HEADGATE_ROOM_SECRET}" } })",
     "Waiting rooms by name: visitors beyond a rate or number wait in line"},
    {"all_routes", &kAllRoutesShape, "", R"({ "limits": ["per-ip"] })", "Defaults for every route",
     into<&Config::gateway, &gateway::PathOptions::all_routes>},
    {"routes", &kRoutes, "", R"([{ "path": "/*", "to": "app" }])", "Requests, their limits, and where they go",
     required},
    {"decide", &kDecideList, "",
     R"([{ "domain": "edge", "match": { "remote_address": "*" }, "limits": ["per-address"] }])",
     "Descriptors that a listener with the protocol `rate_limit_service` decides about; see "
     "[rate_limit_service.md](rate_limit_service.md)"},
    {"timeouts", &kTimeoutsShape, "", R"({ "idle": "30s" })", "Timeouts of client connections",
     into<&Config::timeouts>},
    {"bounds", &kBoundsShape, "", R"({ "connections": 20000 })", "Bounds on what callers can make the gateway hold",
     into<&Config::bounds>},
    {"hsts", &kHsts, "", R"("1y")",
     "Time for which browsers use only `https://` (`Strict-Transport-Security`), sent on TLS connections"},
    {"webhook", &kWebhookShape, "",
     R"({ "url": "https://hooks.example.com/headgate", "secret": "${HEADGATE_WEBHOOK_SECRET}" })",
     "Reports suspensions and used quotas to a URL"},
    {"tracing", &kTracingShape, "", R"({ "sample": "1%" })", "Distributed tracing"},
    {"shedding", &kSheddingShape, "", R"({ "priority_from": "header:X-Priority" })",
     "Order in which requests are refused under overload", into<&Config::gateway, &gateway::PathOptions::shedding>},
    {"rejection", &kRejectionShape, "", R"({ "headers": "standard" })", "Fields and body of the gateway's own answers",
     into<&Config::gateway, &gateway::PathOptions::rejection>},
    {"error_pages", &kErrorPagesShape, R"("as_accepted")", R"("json")",
     "Form of the gateway's own problems: `as_accepted` is HTML for page loads in browsers, plain text for clients "
     "that want it, and otherwise JSON; `json` is always JSON; an object names pages of your own"},
    {"usage", &kUsagePath, "", R"("/.headgate/usage")",
     "Path at which callers can read what remains of their limits, at no cost. Default: none",
     into<&Config::gateway, &gateway::PathOptions::usage>},
    {"billing", &kBillingShape, "", R"({ "keep": "40d", "time_zone": "Europe/Vienna" })",
     "Daily sums of the use of limits with `bill`"},
    {"prices", &kFilePath, "", R"("prices.json")",
     "Path of the file with the [prices of language models](prices.md), for limits that count money. It is read again "
     "when it changes"},
    {"signing", &kSigningShape, "", R"({ "keys": ["${HEADGATE_SIGNING_KEY}"] })", "Keys that sign appointments"},
    {"log", &kLogShape, "", R"({ "format": "json" })", "Access log and error log", into<&Config::log>},
    {"accept_advice", &kAllAccepted, "", R"(["open_admin", "never_binds /limits/burst"])",
     "Advice that `headgate check` no longer prints: names or codes of [advice](advice.md), each optionally with the "
     "one place where it is accepted"},
};
constexpr Section kRoot{"configuration", "", "The whole file.", kRootKeys};

}  // namespace

Kind json_kind(Shape::Form form) {
  switch (form) {
    case Shape::Form::integer:
      return Kind::number;
    case Shape::Form::section:
    case Shape::Form::map:
    case Shape::Form::json:
      return Kind::object;
    case Shape::Form::list:
      return Kind::list;
    case Shape::Form::boolean:
      return Kind::boolean;
    default:
      return Kind::string;
  }
}

const Section& root_section() { return kRoot; }

std::vector<std::string_view> words_of(const Shape& shape) {
  if (shape.registered != nullptr) return shape.registered();
  return {shape.words.begin(), shape.words.end()};
}

std::string doc_of(const Key& key) {
  constexpr std::string_view kPlace = "{words}";
  std::string out(key.doc);
  if (const auto at = out.find(kPlace); at != std::string::npos)
    out.replace(at, kPlace.size(), '`' + joined(words_of(*key.shape), "`, `") + '`');
  return out;
}

}  // namespace headgate::config
