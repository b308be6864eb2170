// Routes: what each request matches, and what becomes of it.

#include "config/table_shapes.hpp"

namespace headgate::config {
namespace {

constexpr Shape kLimitName = text("a limit's name");
constexpr Shape kLimitNames = list("a list of limits' names", kLimitName, 0);
constexpr Shape kBodySize = size(0, std::uint64_t{1} << 53);
constexpr Shape kRoomName = text("a waiting room's name");
constexpr Shape kUnknownKeyShape = choice(kUnknownKey);
constexpr Shape kClientCloseShape = choice(kClientClose);
constexpr Shape kMinRate = size(0, 1UL << 30);
constexpr Key kAllRoutesKeys[] = {
    {"limits", &kLimitUses, "[]", R"(["per-ip"])", "Limits of every route, before its own"},
    {"timeout", &kDuration, "30s", R"("10s")", "How long a server may take to the first byte of its answer"},
    {"between_bytes", &kDuration, "1m", R"("5m")",
     "How long a server may be silent within its answer; must be longer than the pause between two Server-Sent Events"},
    {"max_body", &kBodySize, "1MiB", R"("1MiB")", "Largest request body"},
    {"min_rate", &kMinRate, "500B", R"("500B")",
     "How many bytes of a request's body must come in each second that it is waited for, and how many of an answer a "
     "client must take while bytes wait for it, on average over `timeouts.body`; a slower one is ended within twice "
     "that time. `0`: any. Tunnels have no such rate"},
    {"client_close", &kClientCloseShape, "end", R"("ignore")",
     "What becomes of a request whose client closes its connection, or only its sending side, before the answer: `end` "
     "ends it and frees what it holds; `ignore` goes on, for clients that close their sending side and still read"},
    {"unknown_key", &kUnknownKeyShape, "anonymous", R"("reject")",
     "What happens to a caller whose API key is unknown, expired or disabled: `anonymous` treats it as a caller "
     "without a key, `reject` refuses it; a route that requires a key always refuses it"},
    {"ignore_case", &kBoolean, "false", "true",
     "Whether paths that differ only in the case of letters are the same, as in Express, IIS and, by option, Spring; "
     "counting by `{parameters}` then ignores case, too"},
    {"request_headers", &kRequestFieldsShape, "", R"({ "set": { "X-Gateway": "edge" } })",
     "Changes of the fields that servers get"},
    {"response_headers", &kResponseFieldsShape, "", R"({ "set": { "X-Frame-Options": "DENY" } })",
     "Changes of the fields that clients get"},
    {"host_header", &kHostHeaderShape, "keep", R"("server")",
     "The `Host` that servers get: `keep` for the client's, `server` for the server's own name, or a host that is "
     "written here"},
    {"cors", &kCorsShape, R"("off")", R"({ "origins": ["https://app.example.com"] })",
     "Pages of other origins that may use every route from a browser"},
};
constexpr Shape kRespondShape = section(kRespondSection);
constexpr Shape kRouteName = text("a name", check_route_name);
constexpr Shape kHost = text("a host", check_host);
constexpr Shape kPath = text("a path", check_path);
constexpr Shape kMethod = text("a method", check_method);
constexpr Shape kMethods = list("a list of methods", kMethod, 1, 64);
constexpr Shape kEncodedSlashShape = choice(kEncodedSlash);
constexpr Shape kFieldText = text("a field value", check_field_value);
constexpr Shape kFieldTexts = list("a list of field values", kFieldText, 1, 64);
constexpr const Shape* kFieldConditionForms[] = {&kBoolean, &kFieldText, &kFieldTexts};
constexpr Shape kFieldCondition = either("true, a value or a list of values", kFieldConditionForms);
constexpr Shape kFieldConditions = map("an object of values by field", kFieldCondition, 1, check_condition_field);
constexpr Shape kParameterText = text("a parameter's value", check_condition_value);
constexpr Shape kParameterTexts = list("a list of parameters' values", kParameterText, 1, 64);
constexpr const Shape* kParameterConditionForms[] = {&kBoolean, &kParameterText, &kParameterTexts};
constexpr Shape kParameterCondition = either("true, a value or a list of values", kParameterConditionForms);
constexpr Shape kParameterConditions =
    map("an object of values by parameter", kParameterCondition, 1, check_condition_parameter);
constexpr Shape kHeldBodySize = size(1, 64UL * 1'024 * 1'024);
constexpr Shape kMirrorShape = section(kMirrorSection);
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
     "What happens to a path with `%2F` or `%5C`, encoded once or more often, or with a letter, a digit, `-`, `.`, `_` "
     "or `~` that is encoded twice (`%2570`): `reject` refuses it, because some servers read another path there; "
     "`keep` "
     "passes it on as part of its segment"},
    {"methods", &kMethods, "", R"(["GET", "HEAD"])", "Only these methods; default: all"},
    {"headers", &kFieldConditions, "", R"({ "X-Version": "2", "X-Plan": ["pro", "team"], "X-Debug": true })",
     "Only requests with all these fields: with this value, one of these values, or any value (`true`)"},
    {"query", &kParameterConditions, "", R"({ "format": "csv" })",
     "Only requests with all these parameters in the query: with this value, one of these values, or any value "
     "(`true`)"},
    {"redirect_to_https", &kRedirectToHttps, "", "false",
     "As for a listener, for this route; default: as the listener says"},
    {"to", &kToShape, "", R"("app")", "The upstream requests go to, or several with their weights"},
    {"split_by", &kSplitByShape, "", R"("client_ip")",
     "With several upstreams: requests with the same value go to the same one; without a value the address counts; "
     "default: by chance. {words}"},
    {"respond", &kRespondShape, "", R"({ "status": 200, "body": "ok\n" })", "The answer, given without an upstream"},
    {"redirect", &kRedirectShape, "", R"({ "to": "https://example.com/new/*" })", "Sends the client elsewhere"},
    {"rewrite", &kRewriteShape, "", R"({ "strip_prefix": "/api" })",
     "The path that the server sees; default: the client's, normalised"},
    {"request_headers", &kRequestFieldsShape, "", R"({ "set": { "X-User": "${jwt.sub}" } })",
     "Changes of the fields that the server gets, after those of `all_routes`"},
    {"response_headers", &kResponseFieldsShape, "", R"({ "remove": ["X-Powered-By"] })",
     "Changes of the fields that the client gets, after those of `all_routes`"},
    {"host_header", &kHostHeaderShape, "", R"("server")", "As `all_routes.host_header`, for this route"},
    {"rewrite_answers", &kBoolean, "", "true",
     "Whether `Location`, `Content-Location`, and `Domain` and `Path` of `Set-Cookie` are turned back to what the "
     "client "
     "knows; default: if `rewrite` or `host_header` change what the server is asked for"},
    {"priority", &kPriorityShape, "normal", R"("critical")",
     "Of its requests, where neither a trusted proxy nor a tier says another: with too much load `low` is refused "
     "first, `critical` last"},
    {"limits", &kLimitUses, "[]", R"(["per-ip", { "use": "plan", "cost": 10 }])",
     "Limits of this route: all must allow a request, and one that a limit rejects is not charged by the others"},
    {"skip_limits", &kLimitNames, "[]", R"(["per-ip"])", "Limits of `all_routes` that do not apply here"},
    {"waiting_room", &kRoomName, "", R"("sale")",
     "The waiting room that callers pass first: its name in `waiting_rooms`"},
    {"require", &kRequireShape, R"("nothing")", R"("jwt")",
     "Refuse callers without a valid token (`jwt`), without a known key (`api_key`), or without a client certificate "
     "that was verified (`mtls`): here, by a listener with `client_ca`, or by a trusted proxy that reports it in the "
     "PROXY protocol. An object also says what the token or key must have"},
    {"cors", &kCorsShape, "", R"("off")", "As `all_routes.cors`, for this route and in place of it"},
    {"unknown_key", &kUnknownKeyShape, "", R"("reject")", "As `all_routes.unknown_key`, for this route"},
    {"timeout", &kDuration, "", R"("2m")", "As `all_routes.timeout`, for this route"},
    {"between_bytes", &kDuration, "", R"("1h")", "As `all_routes.between_bytes`, for this route"},
    {"max_body", &kBodySize, "", R"("64MiB")", "As `all_routes.max_body`, for this route"},
    {"min_rate", &kMinRate, "", R"("0")", "As `all_routes.min_rate`, for this route"},
    {"client_close", &kClientCloseShape, "", R"("ignore")", "As `all_routes.client_close`, for this route"},
    {"buffer_request", &kHeldBodySize, "", R"("64KiB")",
     "Bodies of requests up to this size are read before a server is chosen: a slow upload then holds no server, and a "
     "request that fails can be sent again; a larger body is passed on as it comes. Default: no body is held"},
    {"mirror", &kMirrorShape, "", R"({ "to": "shadow", "share": "10%" })",
     "Copies of its requests go to another upstream, whose answers nobody gets"},
};
constexpr Section kRoute{"route", "routes[]", "Which requests go where, under which limits.", kRouteKeys};
constexpr Shape kRouteShape = section(kRoute);

}  // namespace

constexpr Section kAllRoutesSection{
    "all_routes", "all_routes",
    "For every route; limits add up, a route may set its own `timeout`, `between_bytes`, `max_body`, `min_rate` and "
    "`client_close`.",
    kAllRoutesKeys};
constexpr Shape kRoutes = list("a list of routes", kRouteShape, 1, 100'000);

}  // namespace headgate::config
