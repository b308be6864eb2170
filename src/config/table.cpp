#include "table.hpp"

#include "table_shapes.hpp"

#include "headgate/core/text.hpp"

namespace headgate::config {
namespace {

// listen

constexpr std::string_view kListenerLater[] = {"http2"};
constexpr Key kListenerKeys[] = {
    {"address", &kListenAddress, "", R"(":8080")",
     "Where to listen: `:PORT` (every address), `IP:PORT` or `[IPV6]:PORT`", required},
    {"proxy_protocol", &kBoolean, "false", "true",
     "Whether connections from `identity.trusted_proxies` begin with a header of the PROXY protocol, version 1 or 2; "
     "nobody else may send one"},
    {"redirect_to_https", &kRedirectToHttps, "false", "true",
     "Whether requests without TLS are redirected to the same address with `https://`; a number is the port there, if "
     "it "
     "is not 443"},
    {"tls", &kServerTlsShape, "",
     R"({ "certificate": "/etc/headgate/tls/fullchain.pem", "key": "/etc/headgate/tls/privkey.pem" })",
     "TLS: clients connect with `https://`"},
};
constexpr Section kListener{"listener", "listen", "One address to listen on.", kListenerKeys, kListenerLater};
constexpr Shape kListenerObject = section(kListener);
constexpr const Shape* kListenForms[] = {&kListenAddress, &kListenerObject};
constexpr Shape kListenOne = either("an address", kListenForms);
constexpr Shape kListenMany = list("a list of addresses", kListenOne, 1, 64);
constexpr const Shape* kListenAllForms[] = {&kListenAddress, &kListenerObject, &kListenMany};
constexpr Shape kListen = either("an address or a list of addresses", kListenAllForms);

// admin

constexpr Shape kTokenList = list("a list of texts", kText, 1, 8);
constexpr const Shape* kTokenForms[] = {&kText, &kTokenList};
constexpr Shape kTokens = either("text, or a list of texts", kTokenForms);

constexpr Key kAdminKeys[] = {
    {"listen", &kListenAddress, "127.0.0.1:9900", R"("127.0.0.1:9900")",
     "Address of the admin port; an address that other machines can reach needs a `token`"},
    {"token", &kTokens, "", R"("${HEADGATE_ADMIN_TOKEN}")",
     "Everything but `/healthz` and `/readyz` requires `Authorization: Bearer` with this token, or with one of a list "
     "while one replaces another"},
    {"read_token", &kTokens, "", R"("${HEADGATE_READ_TOKEN}")",
     "Another token, or a list, for scrapers and people who look: it can read everything and change nothing; needs a "
     "`token`"},
};
constexpr Section kAdmin{"admin", "admin", "Metrics and administration: an object, or `\"off\"`.", kAdminKeys};
constexpr Shape kAdminObject = section(kAdmin);
constexpr Shape kAdminWord = choice(kAdminWords);
constexpr const Shape* kAdminForms[] = {&kAdminObject, &kAdminWord};
constexpr Shape kAdminShape = either("an object or \"off\"", kAdminForms);

// memory

constexpr Shape kMaxKeys = integer(1'000, 1'000'000'000);
constexpr Key kMemoryKeys[] = {
    {"max_keys", &kMaxKeys, "1000000", "1000000",
     "Maximum number of counters; beyond it those that are full again are removed first, then the least used"},
};
constexpr Section kMemory{"memory", "memory", "Counters of this gateway alone.", kMemoryKeys};

// timeouts, bounds, rejection, log

constexpr Key kTimeoutsKeys[] = {
    {"handshake", &kDuration, "10s", R"("10s")", "From a new connection to the end of its TLS handshake"},
    {"idle", &kDuration, "1m", R"("1m")", "A kept-alive client connection without a request"},
    {"head", &kDuration, "10s", R"("10s")", "From the first byte of a request to the end of its head"},
    {"body", &kDuration, "10s", R"("10s")",
     "No byte of a request's body for this long; for an answer's body see the route's `between_bytes`"},
    {"write", &kDuration, "10s", R"("10s")", "The peer takes no byte for this long"},
    {"tunnel", &kDuration, "10m", R"("10m")", "An upgraded connection (WebSocket) without a byte in either direction"},
};
constexpr Section kTimeouts{"timeouts", "timeouts", "One per phase; none of them spans the whole request.",
                            kTimeoutsKeys};
constexpr Shape kHeadSize = size(1'024, 60UL * 1'024);
constexpr Shape kHeadFields = integer(8, 10'000);
constexpr Shape kTargetSize = size(64, 60UL * 1'024);
constexpr Shape kConnections = integer(1, 10'000'000);
constexpr Shape kHandshakes = integer(1, 1'000'000);
constexpr Shape kConnectionRate{.form = Form::rate, .what = "a rate"};
constexpr Shape kExemptNetwork = text("an address block", check_network);
constexpr Shape kExemptAddresses = list("a list of address blocks", kExemptNetwork, 0, 1024);
constexpr Shape kBuffered = size(1UL << 20, std::uint64_t{1} << 53);
constexpr Key kBoundsKeys[] = {
    {"head_size", &kHeadSize, "16KiB", R"("16KiB")", "Request line and fields, at most 60KiB; 431 beyond"},
    {"head_fields", &kHeadFields, "100", "100", "Fields of a request; 431 beyond"},
    {"target_size", &kTargetSize, "8KiB", R"("8KiB")", "Path and query of a request; 414 beyond"},
    {"connections", &kConnections, "10000", "10000",
     "Client connections of all workers together; for a further one the address with the most gives up the one that "
     "was "
     "idle longest. If none of them is idle it gets a 503, or is closed if it uses TLS"},
    {"handshakes", &kHandshakes, "1000", "1000", "TLS handshakes that a worker has under way; further ones wait"},
    {"handshakes_per_address", &kHandshakes, "100", "100",
     "TLS handshakes of one address, and of one IPv6 block of 64 bits, that a worker has under way or waiting; a "
     "further "
     "connection is closed. Trusted proxies may have more"},
    {"connections_per_address", &kConnections, "", "100",
     "Connections of one client address (for IPv6 of one block, see `identity.ipv6_prefix`); a further one is closed "
     "at once, before TLS. Default: any number"},
    {"connection_rate", &kConnectionRate, "", R"("50/second")",
     "New connections of one client address: so many may come at once, and come back evenly; a further one is closed "
     "at once. Default: any number"},
    {"exempt", &kExemptAddresses, "[]", R"(["10.0.0.0/8"])",
     "Addresses without these two bounds; `identity.trusted_proxies` never have them, and what a PROXY header names is "
     "the client"},
    {"buffered", &kBuffered, "", R"("256MiB")",
     "Bytes in the buffers of all connections, to clients and to servers; beyond it a further request gets a 503 with "
     "`Retry-After`. Default: any number"},
};
constexpr Section kBounds{"bounds", "bounds", "How much one caller can make the gateway hold.", kBoundsKeys};
constexpr Shape kRejectionHeadersShape = choice(kRejectionHeaders);
constexpr Shape kRejectionBodyShape = choice(kRejectionBodies);
constexpr Key kRejectionKeys[] = {
    {"headers", &kRejectionHeadersShape, "both", R"("both")",
     "`standard` (`RateLimit`, `RateLimit-Policy`), `legacy` (`X-RateLimit-*`), `both` or `none`; `Retry-After` is "
     "always there on a 429"},
    {"body", &kRejectionBodyShape, "problem", R"("problem")", "`problem` (`application/problem+json`) or `none`"},
};
constexpr Shape kErrorPagesShape = choice(kErrorPages);
constexpr Shape kUsagePath = text("a path", check_usage_path);
constexpr Section kRejection{"rejection", "rejection", "What a rejected caller is told.", kRejectionKeys};
constexpr Shape kLevel = choice(kLogLevels);
constexpr Shape kFormat = choice(kLogFormats);
constexpr Shape kTarget = path("\"stdout\", \"stderr\", \"off\", \"syslog\", \"journald\" or a file's path",
                               check_log_target, names_log_file);
constexpr Shape kLogField = text("a field's name", check_log_field);
constexpr Shape kLogFields = list("a list of fields", kLogField, 1, 64);
constexpr Shape kKeepOk = text("a share", check_sample);
constexpr Shape kLogSecret = text("text", check_not_empty);
constexpr Shape kLogCaller = text("owner or jwt.<claim>", check_log_caller);
constexpr Shape kLogCallers = list("a list of owner and jwt.<claim>", kLogCaller, 0, 8);
constexpr std::string_view kLogLater[] = {"sample", "rotate"};
constexpr Key kLogKeys[] = {
    {"level", &kLevel, "info", R"("info")", "Minimum severity for the error log"},
    {"format", &kFormat, "text", R"("json")",
     "`text` for people, `json` for machines, `combined` for tools that read nginx's logs, `ecs` for Elasticsearch: "
     "JSON with the names of the Elastic Common Schema"},
    {"fields", &kLogFields, "", R"(["ts", "request_id", "client_ip", "status", "ms", "limit"])",
     "The fields of a line of the access log, for the format `json`; docs/logs.md has all names. Default: all of them"},
    {"keep_ok", &kKeepOk, "100%", R"("1%")",
     "The share of requests with a status below 400 that have a line; the others always have one"},
    {"refusals_every", &kDuration, "", R"("1s")",
     "A key that is refused again and again has one line in this time; `dropped` of the next line says how many were "
     "left out. Default: each refusal has a line"},
    {"access", &kTarget, "stdout", R"("stdout")",
     "Where the line of each request goes: `stdout`, `stderr`, `off`, a file, `journald`, `syslog` (at `/dev/log`), "
     "`syslog:/path/of/socket` or `syslog:HOST:PORT` (UDP)"},
    {"error", &kTarget, "stderr", R"("stderr")", "Where everything else goes"},
    {"secret", &kLogSecret, "", R"("${HEADGATE_LOG_SECRET}")",
     "The secret that `key_id` is computed with: if several gateways have the same one, a caller has the same id on "
     "all of them; default: a new random secret at each start"},
    {"callers", &kLogCallers, "[]", R"(["owner", "jwt.sub"])",
     "What the access log says about the caller in clear text, in fields of these names: `owner` of a known API key, "
     "`jwt.<claim>` of a verified token"},
};
constexpr Section kLog{"log", "log", "Access and error log.", kLogKeys, kLogLater};

// signing

constexpr Shape kSigningKey = text("a key", check_not_empty);
constexpr Shape kSigningKeyList = list("a list of keys", kSigningKey, 1, 8);
constexpr Key kSigningKeys[] = {
    {"keys", &kSigningKeyList, "", R"(["${HEADGATE_SIGNING_KEY}"])",
     "The secrets, of at least 32 bytes: the first one signs, all are believed; the same on all gateways", required},
};
constexpr Section kSigning{"signing", "signing", "What signs appointments.", kSigningKeys};

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
constexpr Shape kTimeoutsShape = section(kTimeouts);
constexpr Shape kBoundsShape = section(kBounds);
constexpr Shape kRejectionShape = section(kRejection);
constexpr Shape kLogShape = section(kLog);
constexpr Shape kSigningShape = section(kSigning);
constexpr Shape kBillingShape = section(kBillingSection);
constexpr Shape kIncludePath = text("a file's path, or a pattern", check_include);
constexpr Shape kIncludePaths = list("a list of files", kIncludePath, 1, 10'000);
constexpr const Shape* kIncludeForms[] = {&kIncludePath, &kIncludePaths};
constexpr Shape kInclude = either("a file's path or a list of them", kIncludeForms);
constexpr Key kRootKeys[] = {
    {"$schema", &kText, "", R"("./headgate.schema.json")", "For editors; headgate does not read it"},
    {"include", &kInclude, "", R"(["routes/*.json"])",
     "Further files of this configuration, from the directory of this one; `*` in the last segment stands for any "
     "characters of a name. Lists are joined, and objects by name; everything else is in one file only"},
    {"instance", &kInstance, "headgate", R"("${HOSTNAME:-headgate}")", "This gateway's name in JSON logs and in `Via`"},
    {"via", &kBoolean, "true", "false",
     "Whether headgate adds `Via` to the messages it forwards, as RFC 9110 requires; some servers, such as nginx, do "
     "not compress answers to requests with `Via`"},
    {"listen", &kListen, "", R"(":8080")", "Where clients connect: an address, an object, or a list of these",
     required},
    {"workers", &kWorkers, "0", "2", "Threads; 0 is one per core"},
    {"drain_delay", &kDelay, "0s", R"("5s")",
     "How long the listeners stay open after SIGTERM, while `/readyz` already answers 503 and every answer closes its "
     "connection; the load balancer needs this time to notice"},
    {"drain", &kDuration, "20s", R"("20s")", "How long headgate then waits for requests in flight"},
    {"upgrade_drain", &kDuration, "1h", R"("10m")",
     "How long a process that an upgrade has replaced waits for its connections, such as WebSockets"},
    {"admin", &kAdminShape, "", R"({ "listen": "127.0.0.1:9900" })",
     "Metrics and administration, never on a public port; default: at `127.0.0.1:9900`; `\"off\"` for none"},
    {"identity", &kIdentityShape, "", R"({ "trusted_proxies": ["10.0.0.0/8"] })", "Who is calling"},
    {"redis", &kRedisShape, "", R"({ "url": "redis://127.0.0.1:6379" })", "Counters shared by several gateways"},
    {"memory", &kMemoryShape, "", R"({ "max_keys": 1000000 })", "Counters of this gateway alone"},
    {"upstreams", &kUpstreams, "{}", R"({ "app": "http://127.0.0.1:3000" })", "Where requests go, by name"},
    {"limits", &kLimits, "{}", R"({ "per-ip": { "rate": "100/minute", "per": "client_ip" } })",
     "Limits by name: how much each caller may request"},
    {"waiting_rooms", &kRoomMap, "{}", R"({ "sale": { "rate": "50/second", "secret": "${HEADGATE_ROOM_SECRET}" } })",
     "Waiting rooms by name: how many visitors are let in, and the others wait in line"},
    {"all_routes", &kAllRoutesShape, "", R"({ "limits": ["per-ip"] })", "For every route"},
    {"routes", &kRoutes, "", R"([{ "path": "/*", "to": "app" }])", "Which requests go where, under which limits",
     required},
    {"timeouts", &kTimeoutsShape, "", R"({ "idle": "30s" })", "One per phase"},
    {"bounds", &kBoundsShape, "", R"({ "connections": 20000 })", "How much one caller can make the gateway hold"},
    {"hsts", &kHsts, "", R"("1y")", "Browsers that came with TLS use `https://` alone, for this time"},
    {"webhook", &kWebhookShape, "",
     R"({ "url": "https://hooks.example.com/headgate", "secret": "${HEADGATE_WEBHOOK_SECRET}" })",
     "Tells suspensions and used quotas to a URL"},
    {"tracing", &kTracingShape, "", R"({ "sample": "1%" })", "Requests are parts of traces"},
    {"shedding", &kSheddingShape, "", R"({ "priority_from": "header:X-Priority" })",
     "What is refused first when there is too much"},
    {"rejection", &kRejectionShape, "", R"({ "headers": "standard" })", "What a rejected caller is told"},
    {"error_pages", &kErrorPagesShape, "as_accepted", R"("json")",
     "In which form a caller gets the gateway's own problems: `as_accepted` gives a browser that opens a page HTML, a "
     "client that wants plain text that, and all others JSON; `json` gives everybody JSON"},
    {"usage", &kUsagePath, "", R"("/.headgate/usage")",
     "The path at which the gateway tells a caller what is left of its limits, and takes nothing for it; default: "
     "none"},
    {"billing", &kBillingShape, "", R"({ "keep": "40d", "time_zone": "Europe/Vienna" })",
     "How the use of limits with `bill` is summed"},
    {"signing", &kSigningShape, "", R"({ "keys": ["${HEADGATE_SIGNING_KEY}"] })", "What signs appointments"},
    {"log", &kLogShape, "", R"({ "format": "json" })", "Access and error log"},
};
constexpr Section kRoot{"configuration", "", "The whole file.", kRootKeys};

}  // namespace

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
