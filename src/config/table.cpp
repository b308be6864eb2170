#include "table.hpp"

#include "formats.hpp"

#include <limits>

namespace headgate::config {
namespace {

using Form = Shape::Form;
using Presence::required;

constexpr std::uint64_t kAny = std::numeric_limits<std::uint64_t>::max();

constexpr Shape text(std::string_view what, TextCheck check = nullptr) {
  return {.form = Form::text, .what = what, .check = check};
}
constexpr Shape integer(std::uint64_t least, std::uint64_t most) {
  return {.form = Form::integer, .what = "a whole number", .least = least, .most = most};
}
constexpr Shape size(std::uint64_t least, std::uint64_t most) {
  return {.form = Form::size, .what = "a size", .least = least, .most = most};
}
constexpr Shape choice(std::span<const std::string_view> words, std::span<const std::string_view> later = {}) {
  return {.form = Form::choice, .what = "a word", .words = words, .later = later};
}
constexpr Shape list(std::string_view what, const Shape& of, std::uint64_t least, std::uint64_t most = kAny) {
  return {.form = Form::list, .what = what, .least = least, .most = most, .of = &of};
}
constexpr Shape map(std::string_view what, const Shape& of) {
  return {.form = Form::map, .what = what, .check = check_name, .most = kAny, .of = &of};
}
constexpr Shape section(const Section& of) { return {.form = Form::section, .what = "an object", .section = &of}; }
constexpr Shape either(std::string_view what, std::span<const Shape* const> forms) {
  return {.form = Form::either, .what = what, .forms = forms};
}

constexpr Shape kText = text("text");
constexpr Shape kDuration{.form = Form::duration, .what = "a duration"};
constexpr Shape kRate{.form = Form::rate, .what = "a rate"};
constexpr Shape kRates = list("a list of rates", kRate, 1, 8);
constexpr const Shape* kRateForms[] = {&kRate, &kRates};
constexpr Shape kRateOrRates = either("a rate or a list of rates", kRateForms);
constexpr Shape kHeaderName = text("a field name", check_field_name);

// listen

constexpr Shape kAddress = text("an address", check_listen);
constexpr std::string_view kListenerLater[] = {"tls", "proxy_protocol", "http2"};
constexpr Key kListenerKeys[] = {
    {"address", &kAddress, "", R"(":8080")", "Where to listen: `:PORT` (every address), `IP:PORT` or `[IPV6]:PORT`",
     required},
};
constexpr Section kListener{"listener", "listen", "One address to listen on.", kListenerKeys, kListenerLater};
constexpr Shape kListenerObject = section(kListener);
constexpr const Shape* kListenForms[] = {&kAddress, &kListenerObject};
constexpr Shape kListenOne = either("an address", kListenForms);
constexpr Shape kListenMany = list("a list of addresses", kListenOne, 1, 64);
constexpr const Shape* kListenAllForms[] = {&kAddress, &kListenerObject, &kListenMany};
constexpr Shape kListen = either("an address or a list of addresses", kListenAllForms);

// identity

constexpr std::string_view kJwtAlgorithmsLater[] = {"HS384", "HS512", "RS384", "RS512", "PS256", "PS384",
                                                    "PS512", "ES256", "ES384", "ES512", "EdDSA"};
constexpr Shape kJwtAlgorithm = choice(kJwtAlgorithms, kJwtAlgorithmsLater);
constexpr Shape kJwtAlgorithmList = list("a list of algorithms", kJwtAlgorithm, 1, 16);
constexpr Shape kPemPath = text("a file's path", check_file_path);
constexpr std::string_view kJwtLater[] = {"jwks", "keys", "required_claims"};
constexpr Key kJwtKeys[] = {
    {"issuer", &kText, "", R"("https://login.example.com/")",
     "What the token's `iss` has to be; any where it is left out"},
    {"audience", &kText, "", R"("https://api.example.com")",
     "What has to be in the token's `aud`; any where it is left out"},
    {"algorithms", &kJwtAlgorithmList, "", R"(["RS256"])",
     "Signatures accepted: `HS256` (with `secret`) and `RS256` (with `public_key`); a token cannot choose another",
     required},
    {"secret", &kText, "", R"("${JWT_SECRET}")", "The shared secret of `HS256`, at least 32 bytes"},
    {"public_key", &kPemPath, "", R"("/etc/headgate/jwt.pem")",
     "A PEM file with the RSA public key of `RS256`, at least 2048 bits"},
    {"leeway", &kDuration, "30s", R"("30s")", "How far clocks may differ for `exp` and `nbf`"},
};
constexpr Section kJwt{"jwt", "identity.jwt", "JSON Web Tokens in `Authorization: Bearer`.", kJwtKeys, kJwtLater};
constexpr std::string_view kApiKeyLater[] = {"file", "keys", "query", "cookie"};
constexpr Key kApiKeyKeys[] = {
    {"header", &kHeaderName, "X-API-Key", R"("X-API-Key")", "The field that carries a caller's key"},
};
constexpr Section kApiKey{"api_key", "identity.api_key", "API keys.", kApiKeyKeys, kApiKeyLater};
constexpr Shape kNetwork = text("an address block", check_network);
constexpr Shape kNetworks = list("a list of address blocks", kNetwork, 0, 1024);
constexpr Shape kIpv6Prefix = integer(1, 128);
constexpr Shape kApiKeyShape = section(kApiKey);
constexpr Shape kJwtShape = section(kJwt);
constexpr std::string_view kIdentityLater[] = {"proxy_protocol", "forwarded"};
constexpr Key kIdentityKeys[] = {
    {"trusted_proxies", &kNetworks, "[]", R"(["10.0.0.0/8"])",
     "Only these may tell the client's address, in `X-Forwarded-For`"},
    {"ipv6_prefix", &kIpv6Prefix, "64", "64", "All IPv6 addresses of one block of this length count as one client"},
    {"api_key", &kApiKeyShape, "", R"({ "header": "X-API-Key" })", "Where a caller's API key is found"},
    {"jwt", &kJwtShape, "", R"({ "algorithms": ["HS256"], "secret": "${JWT_SECRET}" })", "How tokens are verified"},
};
constexpr Section kIdentity{"identity", "identity", "Who is calling: whatever a limit can count `per` comes from here.",
                            kIdentityKeys, kIdentityLater};

// redis, memory

constexpr Shape kRedisUrl = text("a Redis URL", check_redis_url);
constexpr Shape kChoiceIfDown = choice(kIfRedisDown);
constexpr Shape kKeyPrefix = text("a key prefix", check_key_prefix);
constexpr Shape kInstances = integer(1, 10'000);
constexpr Shape kInFlight = integer(1, 1'000'000);
constexpr std::string_view kRedisLater[] = {"cluster", "sentinel", "nodes", "tls", "connections", "lease"};
constexpr Key kRedisKeys[] = {
    {"url", &kRedisUrl, "", R"("redis://127.0.0.1:6379/0")", "`redis://[user[:password]@]host[:port][/database]`",
     required},
    {"username", &kText, "", R"("headgate")", "ACL user; the default user where it is left out"},
    {"password", &kText, "", R"("${REDIS_PASSWORD}")", "Its password"},
    {"timeout", &kDuration, "20ms", R"("20ms")", "No request ever waits longer than this for Redis"},
    {"if_down", &kChoiceIfDown, "count_locally", R"("count_locally")",
     "What limits do while Redis cannot be asked: `allow`, `reject`, or `count_locally` in this gateway's memory"},
    {"key_prefix", &kKeyPrefix, "hg:", R"("hg:prod:")", "Gateways with one prefix share their counters"},
    {"instances", &kInstances, "1", "4",
     "How many gateways share the budget: each grants its part of it while counting locally"},
    {"max_in_flight", &kInFlight, "1024", "1024",
     "Calls a worker may have under way; beyond it Redis counts as unavailable"},
};
constexpr Section kRedis{"redis", "redis", "Counters shared by several gateways.", kRedisKeys, kRedisLater};
constexpr Shape kMaxKeys = integer(1'000, 1'000'000'000);
constexpr Key kMemoryKeys[] = {
    {"max_keys", &kMaxKeys, "1000000", "1000000",
     "Most counters kept; beyond it those that are full again are forgotten first, then the least used"},
};
constexpr Section kMemory{"memory", "memory", "Counters of this gateway alone.", kMemoryKeys};

// upstreams

constexpr Shape kServer = text("a server's URL", check_server);
constexpr Shape kServers = list("a list of server URLs", kServer, 1, 1024);
constexpr Shape kMaxIdle = integer(0, 65'535);
constexpr std::string_view kUpstreamLater[] = {"balance", "health", "retry", "circuit", "tls", "weights", "slow_start"};
constexpr Key kUpstreamKeys[] = {
    {"servers", &kServers, "", R"(["http://api-1:9001", "http://api-2:9001"])",
     "Where its servers are, `http://host[:port]` each; taken in turn", required},
    {"connect_timeout", &kDuration, "1s", R"("1s")",
     "How long connecting to one server may take, name resolution included"},
    {"idle_timeout", &kDuration, "30s", R"("30s")", "A connection kept open but unused this long is closed"},
    {"max_idle", &kMaxIdle, "64", "64", "Connections a worker keeps open to each server"},
};
constexpr Section kUpstream{"upstream", "upstreams.<name>", "Where requests go: a URL, or an object with these keys.",
                            kUpstreamKeys, kUpstreamLater};
constexpr Shape kUpstreamObject = section(kUpstream);
constexpr const Shape* kUpstreamForms[] = {&kServer, &kUpstreamObject};
constexpr Shape kUpstreamShape = either("a URL or an object", kUpstreamForms);
constexpr Shape kUpstreams = map("an object of upstreams by name", kUpstreamShape);

// limits

constexpr Shape kPer = text("what to count by", check_per);
constexpr Shape kPers = list("a list of what to count by", kPer, 1, 8);
constexpr const Shape* kPerForms[] = {&kPer, &kPers};
constexpr Shape kPerOrPers = either("what to count by, or a list of that", kPerForms);
constexpr Shape kAbsent = text("what to do", check_if_absent);
constexpr const Shape* kAbsentForms[] = {&kAbsent, &kPers};
constexpr Shape kIfAbsent = either("\"skip\", \"reject\", or what to count by instead", kAbsentForms);
constexpr Shape kBurst = integer(1, 1'000'000'000);
constexpr std::string_view kAlgorithmsLater[] = {"sliding_window", "sliding_log", "fixed_window", "leaky_bucket"};
constexpr Shape kAlgorithm{
    .form = Form::choice, .what = "an algorithm", .registered = algorithm_names, .later = kAlgorithmsLater};
constexpr Shape kMode = choice(kModes);
constexpr Shape kStore = choice(kStores);
constexpr std::string_view kLimitLater[] = {"in_flight", "tiers", "tier_from", "default_tier", "ban",
                                            "exempt",    "wait",  "lease",     "cost"};
constexpr Key kLimitKeys[] = {
    {"rate", &kRateOrRates, "", R"("100/minute")",
     "How much: a count, a slash and a period, as in `100/minute` or `300/5m`; in a list all hold", required},
    {"burst", &kBurst, "", "200", "Most requests at once, the bucket's size; the rate's count where it is left out"},
    {"per", &kPerOrPers, "", R"("client_ip")",
     "Who shares one counter: `client_ip`, `api_key`, `jwt.<claim>`, `header:<name>`, `route`, `host`, `upstream`, "
     "`total`, or a list of these",
     required},
    {"algorithm", &kAlgorithm, "token_bucket", R"("token_bucket")", "How it counts"},
    {"store", &kStore, "", R"("memory")", "Where it counts: `redis` where a `redis` block stands, else `memory`"},
    {"mode", &kMode, "enforce", R"("observe")", "`observe` counts and shows, and rejects nobody"},
    {"if_absent", &kIfAbsent, "", R"("client_ip")",
     "What happens to a caller without the key: another key to count by, `skip` or `reject`"},
    {"if_redis_down", &kChoiceIfDown, "", R"("reject")", "As `redis.if_down`, for this limit"},
};
constexpr Section kLimit{"limit", "limits.<name>", "A named rule: how much, and per whom.", kLimitKeys, kLimitLater};
constexpr Shape kLimitShape = section(kLimit);
constexpr Shape kLimits = map("an object of limits by name", kLimitShape);

// routes

constexpr Shape kLimitName = text("a limit's name");
constexpr Shape kCost = integer(1, 1'000'000'000);
constexpr Key kUseKeys[] = {
    {"use", &kLimitName, "", R"("per-ip")", "The limit's name", required},
    {"cost", &kCost, "1", "10", "How many requests one request counts as"},
};
constexpr Section kUse{"limit_use", "routes[].limits[]", "A limit with a cost.", kUseKeys};
constexpr Shape kUseObject = section(kUse);
constexpr const Shape* kUseForms[] = {&kLimitName, &kUseObject};
constexpr Shape kUseShape = either("a limit's name or an object", kUseForms);
constexpr Shape kUses = list("a list of limits", kUseShape, 0);
constexpr Shape kLimitNames = list("a list of limits' names", kLimitName, 0);
constexpr Shape kBodySize = size(0, std::uint64_t{1} << 53);
constexpr Key kAllRoutesKeys[] = {
    {"limits", &kUses, "[]", R"(["per-ip"])", "Limits of every route, before its own"},
    {"timeout", &kDuration, "30s", R"("10s")", "How long a server may take to the first byte of its answer"},
    {"max_body", &kBodySize, "1MiB", R"("1MiB")", "Largest request body"},
};
constexpr Section kAllRoutes{"all_routes", "all_routes",
                             "For every route; limits add up, a route may set its own `timeout` and `max_body`.",
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
constexpr std::string_view kRouteLater[] = {"headers",  "rewrite", "strip_prefix", "redirect",
                                            "priority", "retry",   "cost"};
constexpr Key kRouteKeys[] = {
    {"name", &kRouteName, "", R"("login")", "Its name in logs and metrics; its path where it is left out"},
    {"host", &kHost, "", R"("api.example.com")",
     "Only requests for this host, or with `*.example.com` for any below it"},
    {"path", &kPath, "", R"("/v1/*")",
     "Exact, `/prefix/*`, or with parameters as in `/users/{id}`; the most specific route wins", required},
    {"methods", &kMethods, "", R"(["GET", "HEAD"])", "Only these methods; all where it is left out"},
    {"to", &kUpstreamName, "", R"("app")", "The upstream requests go to"},
    {"respond", &kRespondShape, "", R"({ "status": 200, "body": "ok\n" })", "The answer, given without an upstream"},
    {"limits", &kUses, "[]", R"(["per-ip", { "use": "plan", "cost": 10 }])",
     "Limits of this route: all must agree, and a request that one rejects is not charged by the others"},
    {"skip_limits", &kLimitNames, "[]", R"(["per-ip"])", "Limits of `all_routes` that do not apply here"},
    {"require", &kRequireShape, "nothing", R"("jwt")",
     "Refuse callers without a valid token (`jwt`) or without a key (`api_key`)"},
    {"timeout", &kDuration, "", R"("2m")", "As `all_routes.timeout`, for this route"},
    {"max_body", &kBodySize, "", R"("64MiB")", "As `all_routes.max_body`, for this route"},
};
constexpr Section kRoute{"route", "routes[]", "Which requests go where, under which limits.", kRouteKeys, kRouteLater};
constexpr Shape kRouteShape = section(kRoute);
constexpr Shape kRoutes = list("a list of routes", kRouteShape, 1, 10'000);

// timeouts, bounds, rejection, log

constexpr Key kTimeoutsKeys[] = {
    {"idle", &kDuration, "1m", R"("1m")", "A kept-alive client connection without a request"},
    {"head", &kDuration, "10s", R"("10s")", "From the first byte of a request to the end of its head"},
    {"body", &kDuration, "10s", R"("10s")", "No byte of a body, in either direction, for this long"},
    {"write", &kDuration, "10s", R"("10s")", "The peer takes no byte for this long"},
    {"tunnel", &kDuration, "10m", R"("10m")", "An upgraded connection (WebSocket) without a byte in either direction"},
};
constexpr Section kTimeouts{"timeouts", "timeouts", "One per phase; none of them spans the whole request.",
                            kTimeoutsKeys};
constexpr Shape kHeadSize = size(1'024, 60UL * 1'024);
constexpr Shape kHeadFields = integer(8, 10'000);
constexpr Shape kTargetSize = size(64, 60UL * 1'024);
constexpr Shape kConnections = integer(1, 10'000'000);
constexpr Key kBoundsKeys[] = {
    {"head_size", &kHeadSize, "16KiB", R"("16KiB")", "Request line and fields, at most 60KiB; 431 beyond"},
    {"head_fields", &kHeadFields, "100", "100", "Fields of a request; 431 beyond"},
    {"target_size", &kTargetSize, "8KiB", R"("8KiB")", "Path and query of a request; 414 beyond"},
    {"connections", &kConnections, "10000", "10000",
     "Client connections over all workers; a further one is answered 503"},
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
constexpr Shape kTarget = text("\"stdout\", \"stderr\", \"off\" or a file's path", check_log_target);
constexpr std::string_view kLogLater[] = {"keep_ok", "sample", "rotate"};
constexpr Key kLogKeys[] = {
    {"level", &kLevel, "info", R"("info")", "Least severity written to the error log"},
    {"format", &kFormat, "text", R"("json")", "`text` for a terminal, `json` for machines"},
    {"access", &kTarget, "stdout", R"("stdout")",
     "Where the line of each request goes: `stdout`, `stderr`, `off` or a file"},
    {"error", &kTarget, "stderr", R"("stderr")", "Where everything else goes"},
};
constexpr Section kLog{"log", "log", "Access and error log.", kLogKeys, kLogLater};

// the file

constexpr Shape kInstance = text("a name", check_instance);
constexpr Shape kWorkers = integer(0, 1'024);
constexpr Shape kIdentityShape = section(kIdentity);
constexpr Shape kRedisShape = section(kRedis);
constexpr Shape kMemoryShape = section(kMemory);
constexpr Shape kAllRoutesShape = section(kAllRoutes);
constexpr Shape kTimeoutsShape = section(kTimeouts);
constexpr Shape kBoundsShape = section(kBounds);
constexpr Shape kRejectionShape = section(kRejection);
constexpr Shape kLogShape = section(kLog);
constexpr std::string_view kRootLater[] = {"admin", "tracing", "metrics", "tls", "tiers"};
constexpr Key kRootKeys[] = {
    {"$schema", &kText, "", R"("./headgate.schema.json")", "For editors; headgate does not read it"},
    {"instance", &kInstance, "headgate", R"("${HOSTNAME:-headgate}")", "This gateway's name in logs and `Via`"},
    {"listen", &kListen, "", R"(":8080")", "Where clients connect: an address, an object, or a list of these",
     required},
    {"workers", &kWorkers, "0", "2", "Threads; 0 is one a core"},
    {"drain", &kDuration, "20s", R"("20s")", "How long SIGTERM waits for what is in flight"},
    {"identity", &kIdentityShape, "", R"({ "trusted_proxies": ["10.0.0.0/8"] })", "Who is calling"},
    {"redis", &kRedisShape, "", R"({ "url": "redis://127.0.0.1:6379" })", "Counters shared by several gateways"},
    {"memory", &kMemoryShape, "", R"({ "max_keys": 1000000 })", "Counters of this gateway alone"},
    {"upstreams", &kUpstreams, "{}", R"({ "app": "http://127.0.0.1:3000" })", "Where requests go, by name"},
    {"limits", &kLimits, "{}", R"({ "per-ip": { "rate": "100/minute", "per": "client_ip" } })",
     "How much each caller may ask, by name"},
    {"all_routes", &kAllRoutesShape, "", R"({ "limits": ["per-ip"] })", "For every route"},
    {"routes", &kRoutes, "", R"([{ "path": "/*", "to": "app" }])", "Which requests go where, under which limits",
     required},
    {"timeouts", &kTimeoutsShape, "", R"({ "idle": "30s" })", "One per phase"},
    {"bounds", &kBoundsShape, "", R"({ "connections": 20000 })", "How much one caller can make the gateway hold"},
    {"rejection", &kRejectionShape, "", R"({ "headers": "standard" })", "What a rejected caller is told"},
    {"log", &kLogShape, "", R"({ "format": "json" })", "Access and error log"},
};
constexpr Section kRoot{"configuration", "", "The whole file.", kRootKeys, kRootLater};

}  // namespace

const Section& root_section() { return kRoot; }

std::vector<std::string_view> words_of(const Shape& shape) {
  if (shape.registered != nullptr) return shape.registered();
  return {shape.words.begin(), shape.words.end()};
}

}  // namespace headgate::config
