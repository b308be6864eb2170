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
     "Maximum number of counters; beyond it those that are full again are removed first, then the least used",
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
    {"$schema", &kText, "", R"("./headgate.schema.json")", "For editors; headgate does not read it"},
    {"include", &kInclude, "", R"(["routes/*.json"])",
     "Further files of this configuration, from the directory of this one; `*` in the last segment stands for any "
     "characters of a name. Lists are joined, and objects by name; everything else is in one file only"},
    {"candidate", &kFilePath, "", R"("next.json")",
     "The file of another configuration, which decides about the same requests beside this one and is only compared "
     "with it: see [candidate.md](candidate.md)"},
    {"instance", &kInstance, kOfOptions, R"("${HOSTNAME:-headgate}")", "This gateway's name in JSON logs and in `Via`",
     into<&Config::instance>},
    {"via", &kBoolean, "true", "false",
     "Whether headgate adds `Via` to the messages it forwards, as RFC 9110 requires; some servers, such as nginx, do "
     "not compress answers to requests with `Via`"},
    {"listen", &kListen, "", R"(":8080")", "Where clients connect: an address, an object, or a list of these",
     required},
    {"workers", &kWorkers, kOfOptions, "2", "Threads; 0 is one per core", into<&Config::workers>},
    {"drain_delay", &kDelay, kOfOptions, R"("5s")",
     "How long the listeners stay open after SIGTERM, while `/readyz` already answers 503 and every answer closes its "
     "connection; the load balancer needs this time to notice",
     into<&Config::drain_delay>},
    {"drain", &kDuration, kOfOptions, R"("20s")", "How long headgate then waits for requests in flight",
     into<&Config::drain>},
    {"upgrade_drain", &kDuration, kOfOptions, R"("10m")",
     "How long a process that an upgrade has replaced waits for its connections, such as WebSockets",
     into<&Config::upgrade_drain>},
    {"pid_file", &kFilePath, "", R"("/run/headgate/headgate.pid")",
     "The file with the number of the process, from when it serves until it ends; an upgrade replaces the number; "
     "default: none",
     into<&Config::pid_file>},
    {"admin", &kAdminShape, "", R"({ "listen": "127.0.0.1:9900" })",
     "Metrics and administration, never on a public port; default: at `127.0.0.1:9900`; `\"off\"` for none"},
    {"identity", &kIdentityShape, "", R"({ "trusted_proxies": ["10.0.0.0/8"] })", "Who is calling",
     into<&Config::identity>},
    {"redis", &kRedisShape, "", R"({ "url": "redis://127.0.0.1:6379" })", "Counters shared by several gateways"},
    {"memory", &kMemoryShape, "", R"({ "max_keys": 1000000 })", "Counters of this gateway alone",
     into<&Config::memory>},
    {"upstreams", &kUpstreams, "{}", R"({ "app": "http://127.0.0.1:3000" })", "Where requests go, by name"},
    {"limits", &kLimits, "{}", R"({ "per-ip": { "rate": "100/minute", "per": "client_ip" } })",
     "Limits by name: how much each caller may request"},
    {"waiting_rooms", &kRoomMap, "{}", R"({ "sale": { "rate": "50/second", "secret": "${HEADGATE_ROOM_SECRET}" } })",
     "Waiting rooms by name: how many visitors are let in, and the others wait in line"},
    {"all_routes", &kAllRoutesShape, "", R"({ "limits": ["per-ip"] })", "For every route",
     into<&Config::gateway, &gateway::PathOptions::all_routes>},
    {"routes", &kRoutes, "", R"([{ "path": "/*", "to": "app" }])", "Which requests go where, under which limits",
     required},
    {"timeouts", &kTimeoutsShape, "", R"({ "idle": "30s" })", "One per phase", into<&Config::timeouts>},
    {"bounds", &kBoundsShape, "", R"({ "connections": 20000 })", "How much one caller can make the gateway hold",
     into<&Config::bounds>},
    {"hsts", &kHsts, "", R"("1y")", "Browsers that came with TLS use `https://` alone, for this time"},
    {"webhook", &kWebhookShape, "",
     R"({ "url": "https://hooks.example.com/headgate", "secret": "${HEADGATE_WEBHOOK_SECRET}" })",
     "Tells suspensions and used quotas to a URL"},
    {"tracing", &kTracingShape, "", R"({ "sample": "1%" })", "Requests are parts of traces"},
    {"shedding", &kSheddingShape, "", R"({ "priority_from": "header:X-Priority" })",
     "What is refused first when there is too much", into<&Config::gateway, &gateway::PathOptions::shedding>},
    {"rejection", &kRejectionShape, "", R"({ "headers": "standard" })", "What a rejected caller is told",
     into<&Config::gateway, &gateway::PathOptions::rejection>},
    {"error_pages", &kErrorPagesShape, R"("as_accepted")", R"("json")",
     "In which form a caller gets the gateway's own problems: `as_accepted` gives a browser that opens a page HTML, a "
     "client that wants plain text that, and all others JSON; `json` gives everybody JSON; an object names pages of "
     "your own"},
    {"usage", &kUsagePath, "", R"("/.headgate/usage")",
     "The path at which the gateway tells a caller what is left of its limits, and takes nothing for it; default: "
     "none",
     into<&Config::gateway, &gateway::PathOptions::usage>},
    {"billing", &kBillingShape, "", R"({ "keep": "40d", "time_zone": "Europe/Vienna" })",
     "How the use of limits with `bill` is summed"},
    {"signing", &kSigningShape, "", R"({ "keys": ["${HEADGATE_SIGNING_KEY}"] })", "What signs appointments"},
    {"log", &kLogShape, "", R"({ "format": "json" })", "Access and error log", into<&Config::log>},
    {"accept_advice", &kAllAccepted, "", R"(["open_admin", "never_binds /limits/burst"])",
     "What `headgate check` need not say any more: names or codes of [advice](advice.md), each with the place of what "
     "it "
     "is about if it is accepted only there"},
};
constexpr Section kRoot{"configuration", "", "The whole file.", kRootKeys};

}  // namespace

Kind json_kind(Shape::Form form) {
  switch (form) {
    case Form::integer:
      return Kind::number;
    case Form::section:
    case Form::map:
    case Form::json:
      return Kind::object;
    case Form::list:
      return Kind::list;
    case Form::boolean:
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
