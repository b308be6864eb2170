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

constexpr Key kAdminKeys[] = {
    {"listen", &kListenAddress, "127.0.0.1:9900", R"("127.0.0.1:9900")",
     "Address of the admin port; an address that other machines can reach needs a `token`"},
    {"token", &kText, "", R"("${HEADGATE_ADMIN_TOKEN}")",
     "Everything but `/healthz` and `/readyz` requires `Authorization: Bearer` with this token"},
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

// upstreams

constexpr Shape kServer = text("a server's URL", check_server);
constexpr Shape kServers = list("a list of server URLs", kServer, 1, 1024);
constexpr Shape kMaxIdle = integer(0, 65'535);
constexpr Shape kAnswerHeadSize = size(1'024, 64UL * 1'024);
constexpr Shape kConcurrencyShape = section(kConcurrencySection);
constexpr Shape kUpstreamTlsShape = section(kUpstreamTlsSection);
constexpr std::string_view kUpstreamLater[] = {"balance", "health", "retry", "circuit", "weights", "slow_start"};
constexpr Key kUpstreamKeys[] = {
    {"servers", &kServers, "", R"(["http://api-1:9001", "http://api-2:9001"])",
     "Its servers, `http://host[:port]` each, or `https://host[:port]` each; requests go to them in turn", required},
    {"tls", &kUpstreamTlsShape, "", R"({ "ca": "/etc/headgate/ca.pem" })",
     "For servers with `https://`: whom to trust, and how the gateway shows who it is"},
    {"connect_timeout", &kDuration, "1s", R"("1s")",
     "How long connecting to one server may take, with name resolution and the TLS handshake"},
    {"idle_timeout", &kDuration, "30s", R"("30s")", "How long an idle connection stays open"},
    {"max_idle", &kMaxIdle, "64", "64", "Connections a worker keeps open to each server"},
    {"head_size", &kAnswerHeadSize, "64KiB", R"("16KiB")",
     "Status line and fields of an answer, at most 64KiB; 502 beyond"},
    {"concurrency", &kConcurrencyShape, "", R"({ "adaptive": true, "reserved": "20%" })",
     "How many requests it may have at the same time"},
};
constexpr Section kUpstream{"upstream", "upstreams.<name>", "Where requests go: a URL, or an object with these keys.",
                            kUpstreamKeys, kUpstreamLater};
constexpr Shape kUpstreamObject = section(kUpstream);
constexpr const Shape* kUpstreamForms[] = {&kServer, &kUpstreamObject};
constexpr Shape kUpstreamShape = either("a URL or an object", kUpstreamForms);
constexpr Shape kUpstreams = map("an object of upstreams by name", kUpstreamShape);

// routes

constexpr Shape kLimitName = text("a limit's name");
constexpr Shape kLimitNames = list("a list of limits' names", kLimitName, 0);
constexpr Shape kBodySize = size(0, std::uint64_t{1} << 53);
constexpr Shape kRoomName = text("a waiting room's name");
constexpr Shape kUnknownKeyShape = choice(kUnknownKey);
constexpr Key kAllRoutesKeys[] = {
    {"limits", &kLimitUses, "[]", R"(["per-ip"])", "Limits of every route, before its own"},
    {"timeout", &kDuration, "30s", R"("10s")", "How long a server may take to the first byte of its answer"},
    {"between_bytes", &kDuration, "1m", R"("5m")",
     "How long a server may be silent within its answer; must be longer than the pause between two Server-Sent Events"},
    {"max_body", &kBodySize, "1MiB", R"("1MiB")", "Largest request body"},
    {"unknown_key", &kUnknownKeyShape, "anonymous", R"("reject")",
     "What happens to a caller whose API key is unknown, expired or disabled: `anonymous` treats it as a caller "
     "without a key, `reject` refuses it; a route that requires a key always refuses it"},
    {"ignore_case", &kBoolean, "false", "true",
     "Whether paths that differ only in the case of letters are the same, as in Express, IIS and, by option, Spring; "
     "counting by `{parameters}` then ignores case, too"},
};
constexpr Section kAllRoutes{
    "all_routes", "all_routes",
    "For every route; limits add up, a route may set its own `timeout`, `between_bytes` and `max_body`.",
    kAllRoutesKeys};
constexpr Shape kStatus = integer(200, 599);
constexpr Shape kFieldValue = text("a field value", check_field_value);
constexpr Key kRespondKeys[] = {
    {"status", &kStatus, "200", "200", "Status of the answer"},
    {"body", &kText, "", R"("ok\n")", "Its body"},
    {"content_type", &kFieldValue, "text/plain; charset=utf-8", R"("application/json")", "Its `Content-Type`"},
};
constexpr std::string_view kRespondLater[] = {"headers", "redirect"};
constexpr Section kRespond{"respond", "routes[].respond", "An answer given without an upstream.", kRespondKeys,
                           kRespondLater};
constexpr Shape kRespondShape = section(kRespond);
constexpr Shape kRouteName = text("a name", check_route_name);
constexpr Shape kHost = text("a host", check_host);
constexpr Shape kPath = text("a path", check_path);
constexpr Shape kMethod = text("a method", check_method);
constexpr Shape kMethods = list("a list of methods", kMethod, 1, 64);
constexpr Shape kUpstreamName = text("an upstream's name");
constexpr Shape kRequireShape = choice(kRequire);
constexpr Shape kEncodedSlashShape = choice(kEncodedSlash);
constexpr std::string_view kRouteLater[] = {"headers", "rewrite", "strip_prefix", "redirect", "retry", "cost"};
constexpr Key kRouteKeys[] = {
    {"name", &kRouteName, "", R"("login")", "Its name in logs and metrics; default: its path"},
    {"host", &kHost, "", R"("api.example.com")",
     "Only requests for this host; `*.example.com` stands for every host below it"},
    {"path", &kPath, "", R"("/v1/*")",
     "Exact, `/prefix/*` (which takes `/prefix` too), or with parameters as in `/users/{id}`; the most specific route "
     "wins",
     required},
    {"ignore_case", &kBoolean, "", "true", "As `all_routes.ignore_case`, for this route"},
    {"encoded_slash", &kEncodedSlashShape, "reject", R"("keep")",
     "What happens to a path with `%2F` or `%5C`, encoded once or more often: `reject` refuses it, because some "
     "servers read a slash there; `keep` passes it on as part of its segment"},
    {"methods", &kMethods, "", R"(["GET", "HEAD"])", "Only these methods; default: all"},
    {"redirect_to_https", &kRedirectToHttps, "", "false",
     "As for a listener, for this route; default: as the listener says"},
    {"to", &kUpstreamName, "", R"("app")", "The upstream requests go to"},
    {"respond", &kRespondShape, "", R"({ "status": 200, "body": "ok\n" })", "The answer, given without an upstream"},
    {"priority", &kPriorityShape, "normal", R"("critical")",
     "Of its requests, where neither a trusted proxy nor a tier says another: with too much load `low` is refused "
     "first, `critical` last"},
    {"limits", &kLimitUses, "[]", R"(["per-ip", { "use": "plan", "cost": 10 }])",
     "Limits of this route: all must allow a request, and one that a limit rejects is not charged by the others"},
    {"skip_limits", &kLimitNames, "[]", R"(["per-ip"])", "Limits of `all_routes` that do not apply here"},
    {"waiting_room", &kRoomName, "", R"("sale")",
     "The waiting room that callers pass first: its name in `waiting_rooms`"},
    {"require", &kRequireShape, "nothing", R"("jwt")",
     "Refuse callers without a valid token (`jwt`), without a known key (`api_key`), or without a client certificate "
     "that was verified (`mtls`): here, by a listener with `client_ca`, or by a trusted proxy that reports it in the "
     "PROXY protocol"},
    {"unknown_key", &kUnknownKeyShape, "", R"("reject")", "As `all_routes.unknown_key`, for this route"},
    {"timeout", &kDuration, "", R"("2m")", "As `all_routes.timeout`, for this route"},
    {"between_bytes", &kDuration, "", R"("1h")", "As `all_routes.between_bytes`, for this route"},
    {"max_body", &kBodySize, "", R"("64MiB")", "As `all_routes.max_body`, for this route"},
};
constexpr Section kRoute{"route", "routes[]", "Which requests go where, under which limits.", kRouteKeys, kRouteLater};
constexpr Shape kRouteShape = section(kRoute);
constexpr Shape kRoutes = list("a list of routes", kRouteShape, 1, 10'000);

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
     "Client connections of all workers together; a further one gets a 503, or is closed if it uses TLS"},
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
constexpr Section kRejection{"rejection", "rejection", "What a rejected caller is told.", kRejectionKeys};
constexpr Shape kLevel = choice(kLogLevels);
constexpr std::string_view kFormatsLater[] = {"combined"};
constexpr Shape kFormat = choice(kLogFormats, kFormatsLater);
constexpr Shape kTarget = path("\"stdout\", \"stderr\", \"off\" or a file's path", check_log_target, names_log_file);
constexpr Shape kLogSecret = text("text", check_not_empty);
constexpr Shape kLogCaller = text("owner or jwt.<claim>", check_log_caller);
constexpr Shape kLogCallers = list("a list of owner and jwt.<claim>", kLogCaller, 0, 8);
constexpr std::string_view kLogLater[] = {"keep_ok", "sample", "rotate"};
constexpr Key kLogKeys[] = {
    {"level", &kLevel, "info", R"("info")", "Minimum severity for the error log"},
    {"format", &kFormat, "text", R"("json")", "`text` for a terminal, `json` for machines"},
    {"access", &kTarget, "stdout", R"("stdout")",
     "Where the line of each request goes: `stdout`, `stderr`, `off` or a file"},
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
constexpr Shape kAllRoutesShape = section(kAllRoutes);
constexpr Shape kTimeoutsShape = section(kTimeouts);
constexpr Shape kBoundsShape = section(kBounds);
constexpr Shape kRejectionShape = section(kRejection);
constexpr Shape kLogShape = section(kLog);
constexpr Shape kSigningShape = section(kSigning);
constexpr std::string_view kRootLater[] = {"tracing", "metrics", "tls", "tiers"};
constexpr Key kRootKeys[] = {
    {"$schema", &kText, "", R"("./headgate.schema.json")", "For editors; headgate does not read it"},
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
     "Tells each suspension to a URL"},
    {"shedding", &kSheddingShape, "", R"({ "priority_from": "header:X-Priority" })",
     "What is refused first when there is too much"},
    {"rejection", &kRejectionShape, "", R"({ "headers": "standard" })", "What a rejected caller is told"},
    {"signing", &kSigningShape, "", R"({ "keys": ["${HEADGATE_SIGNING_KEY}"] })", "What signs appointments"},
    {"log", &kLogShape, "", R"({ "format": "json" })", "Access and error log"},
};
constexpr Section kRoot{"configuration", "", "The whole file.", kRootKeys, kRootLater};

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
