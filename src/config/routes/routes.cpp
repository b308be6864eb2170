// Routes: their keys, and what they make.

#include "config/build.hpp"
#include "config/formats/formats.hpp"
#include "config/once.hpp"
#include "config/table.hpp"
#include "config/table_shapes.hpp"
#include "config/text/codes.hpp"
#include "config/values.hpp"

#include "headgate/core/per_enum.hpp"
#include "headgate/core/text.hpp"
#include "headgate/http/host.hpp"

#include <algorithm>
#include <array>
#include <map>

namespace headgate::config {
namespace {

constexpr Shape kLimitName = text("a limit's name");
constexpr Shape kLimitNames = list("a list of limits' names", kLimitName, 0);
constexpr Shape kBodySize = size(0, std::uint64_t{1} << 53);
constexpr Shape kRoomName = text("a waiting room's name");
constexpr WordsUpTo<gateway::UnknownKey::reject> kUnknownKey({"anonymous", "reject"});
constexpr Shape kUnknownKeyShape = choice(kUnknownKey);
constexpr WordsUpTo<gateway::ClientClose::ignore> kClientClose({"end", "ignore"});
constexpr Shape kClientCloseShape = choice(kClientClose);
constexpr Shape kMinRate = size(0, 1UL << 30);
constexpr Key kAllRoutesKeys[] = {
    {"limits", &kLimitUses, "[]", R"(["per-ip"])", "Limits of every route, before its own"},
    {"timeout", &kDuration, kOfOptions, R"("10s")", "How long a server may take to the first byte of its answer",
     into<&gateway::AllRoutes::timeout>},
    {"between_bytes", &kDuration, kOfOptions, R"("5m")",
     "How long a server may be silent within its answer; must be longer than the pause between two Server-Sent Events",
     into<&gateway::AllRoutes::between_bytes>},
    {"max_body", &kBodySize, kOfOptions, R"("1MiB")", "Largest request body", into<&gateway::AllRoutes::max_body>},
    {"min_rate", &kMinRate, kOfOptions, R"("500B")",
     "How many bytes of a request's body must come in each second that it is waited for, and how many of an answer a "
     "client must take while bytes wait for it, on average over `timeouts.body`; a slower one is ended within twice "
     "that time. `0`: any. Tunnels have no such rate",
     into<&gateway::AllRoutes::min_rate>},
    {"client_close", &kClientCloseShape, kOfOptions, R"("ignore")",
     "What becomes of a request whose client closes its connection, or only its sending side, before the answer: `end` "
     "ends it and frees what it holds; `ignore` goes on, for clients that close their sending side and still read; "
     "where it waits here it ends in any case",
     into<&gateway::AllRoutes::client_close>},
    {"addresses", &kAddressesShape, "", R"({ "deny_file": "/etc/headgate/denied.txt" })",
     "From which addresses every route may be used; all others are refused with 403"},
    {"unknown_key", &kUnknownKeyShape, kOfOptions, R"("reject")",
     "What happens to a caller whose API key is unknown, expired or disabled: `anonymous` treats it as a caller "
     "without a key, `reject` refuses it; a route that requires a key always refuses it",
     into<&gateway::AllRoutes::unknown_key>},
    {"ignore_case", &kBoolean, kOfOptions, "true",
     "Whether paths that differ only in the case of letters are the same, as in Express, IIS and, by option, Spring; "
     "counting by `{parameters}` then ignores case, too",
     into<&gateway::AllRoutes::ignore_case>},
    {"request_headers", &kRequestFieldsShape, "", R"({ "set": { "X-Gateway": "edge" } })",
     "Changes of the fields that servers get"},
    {"response_headers", &kResponseFieldsShape, "", R"({ "set": { "X-Frame-Options": "DENY" } })",
     "Changes of the fields that clients get"},
    {"host_header", &kHostHeaderShape, "keep", R"("server")",
     "The `Host` that servers get: `keep` for the client's, `server` for the server's own name, or a host that is "
     "written here"},
    {"cors", &kCorsShape, R"("off")", R"({ "origins": ["https://app.example.com"] })",
     "Pages of other origins that may use every route from a browser"},
    {"compress", &kCompressShape, "false", "true", "Which answers are compressed, of every route"},
};
constexpr Shape kRespondShape = section(kRespondSection);
constexpr Shape kRouteName = text("a name", check_route_name);
constexpr Shape kHost = text("a host", check_host);
constexpr Shape kPath = text("a path", check_path);
constexpr Shape kMethod = text("a method", check_method);
constexpr Shape kMethods = list("a list of methods", kMethod, 1, 64);
constexpr WordsUpTo<gateway::EncodedSlash::keep> kEncodedSlash({"reject", "keep"});
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
constexpr Shape kRegex = text("a regular expression", check_not_empty);
constexpr Shape kHeldBodySize = size(1, 64UL * 1'024 * 1'024);
constexpr Shape kMirrorShape = section(kMirrorSection);
constexpr Key kRouteKeys[] = {
    {"name", &kRouteName, "", R"("login")", "Its name in logs and metrics; default: its path"},
    {"host", &kHost, "", R"("api.example.com")",
     "Only requests for this host; `*.example.com` stands for every host below it"},
    {"path", &kPath, "", R"("/v1/*")",
     "Exact, `/prefix/*` (which takes `/prefix` too), or with parameters as in `/users/{id}`; the most specific route "
     "wins",
     into<&gateway::RouteOptions::path>, required},
    {"ignore_case", &kBoolean, "", "true", "As `all_routes.ignore_case`, for this route",
     into<&gateway::RouteOptions::ignore_case>},
    {"encoded_slash", &kEncodedSlashShape, kOfOptions, R"("keep")",
     "What happens to a path with `%2F` or `%5C`, encoded once or more often, or with a letter, a digit, `-`, `.`, `_` "
     "or `~` that is encoded twice (`%2570`): `reject` refuses it, because some servers read another path there; "
     "`keep` "
     "passes it on as part of its segment",
     into<&gateway::RouteOptions::encoded_slash>},
    {"methods", &kMethods, "", R"(["GET", "HEAD"])", "Only these methods; default: all"},
    {"headers", &kFieldConditions, "", R"({ "X-Version": "2", "X-Plan": ["pro", "team"], "X-Debug": true })",
     "Only requests with all these fields: with this value, one of these values, or any value (`true`)"},
    {"query", &kParameterConditions, "", R"({ "format": "csv" })",
     "Only requests with all these parameters in the query: with this value, one of these values, or any value "
     "(`true`)"},
    {"client_ip", &kClientBlocks, "", R"(["10.0.0.0/8"])",
     "Only requests from these address blocks; it counts as a condition, as one of `headers` and `query` does"},
    {"path_matches", &kRegex, "", R"("/v[0-9]+/users/[0-9]+")",
     "Only requests whose whole path matches this regular expression (RE2), too, where no pattern can say it; of two "
     "routes with such conditions the first one of the file comes first"},
    {"redirect_to_https", &kRedirectToHttps, "", "false",
     "As for a listener, for this route; default: as the listener says"},
    {"to", &kToShape, "", R"("app")", "The upstream requests go to, or several with their weights",
     into<&gateway::RouteOptions::to>},
    {"on_reject", &kOnRejectShape, "", R"({ "to": "lite" })",
     "Another upstream for what a limit rejects, and for all requests while the circuit is open"},
    {"split_by", &kSplitByShape, "", R"("client_ip")",
     "With several upstreams: requests with the same value go to the same one; without a value the address counts; "
     "default: by chance. {words}; not `total`, and `host`, `route` and `upstream` only beside another one"},
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
    {"priority", &kPriorityShape, kOfOptions, R"("critical")",
     "Of its requests, where neither a trusted proxy nor a tier says another: with too much load `low` is refused "
     "first, `critical` last",
     into<&gateway::RouteOptions::priority>},
    {"limits", &kLimitUses, "[]", R"(["per-ip", { "use": "plan", "cost": 10 }])",
     "Limits of this route: all must allow a request, and one that a limit rejects is not charged by the others"},
    {"skip_limits", &kLimitNames, "[]", R"(["per-ip"])", "Limits of `all_routes` that do not apply here"},
    {"waiting_room", &kRoomName, "", R"("sale")",
     "The waiting room that callers pass first: its name in `waiting_rooms`",
     into<&gateway::RouteOptions::waiting_room>},
    {"addresses", &kAddressesShape, "", R"({ "allow": ["10.0.0.0/8"] })",
     "From which addresses it may be used, beside those of `all_routes`; all others are refused with 403"},
    {"require", &kRequireShape, R"("nothing")", R"("jwt")",
     "Refuse callers without a valid token (`jwt`), without a known key (`api_key`), or without a client certificate "
     "that was verified (`mtls`): here, by a listener with `client_ca`, or by a trusted proxy that reports it in the "
     "PROXY protocol. An object also says what the token or key must have"},
    {"auth", &kAuthShape, "", R"({ "url": "http://auth/check", "copy": ["X-User"] })",
     "A service that is asked whether a request may pass, and who is calling"},
    {"basic", &kBasicShape, "", R"("/etc/headgate/users.htpasswd")",
     "Refuse callers without the name and the password of a user (basic authentication); limits count by "
     "`basic.user`"},
    {"cors", &kCorsShape, "", R"("off")", "As `all_routes.cors`, for this route and in place of it"},
    {"compress", &kCompressShape, "", R"({ "min_size": "256B" })", "As `all_routes.compress`, for this route"},
    {"unknown_key", &kUnknownKeyShape, "", R"("reject")", "As `all_routes.unknown_key`, for this route",
     into<&gateway::RouteOptions::unknown_key>},
    {"timeout", &kDuration, "", R"("2m")", "As `all_routes.timeout`, for this route",
     into<&gateway::RouteOptions::timeout>},
    {"between_bytes", &kDuration, "", R"("1h")", "As `all_routes.between_bytes`, for this route",
     into<&gateway::RouteOptions::between_bytes>},
    {"max_body", &kBodySize, "", R"("64MiB")", "As `all_routes.max_body`, for this route",
     into<&gateway::RouteOptions::max_body>},
    {"min_rate", &kMinRate, "", R"("0")", "As `all_routes.min_rate`, for this route",
     into<&gateway::RouteOptions::min_rate>},
    {"client_close", &kClientCloseShape, "", R"("ignore")", "As `all_routes.client_close`, for this route",
     into<&gateway::RouteOptions::client_close>},
    {"buffer_request", &kHeldBodySize, "", R"("64KiB")",
     "Bodies of requests up to this size are read before a server is chosen: a slow upload then holds no server, and a "
     "request that fails can be sent again; a larger body is passed on as it comes. Default: no body is held",
     into<&gateway::RouteOptions::held_body>},
    {"grpc_web", &kBoolean, "false", "true",
     "Whether calls of gRPC-Web, which pages in browsers make, become calls of gRPC; needs an upstream with "
     "`\"protocol\": \"http2\"`",
     into<&gateway::RouteOptions::grpc_web>},
    {"mirror", &kMirrorShape, "", R"({ "to": "shadow", "share": "10%" })",
     "Copies of its requests go to another upstream, whose answers nobody gets", into<&gateway::RouteOptions::mirror>},
    {"rejection", &kRouteRejectionShape, "", R"({ "body": "openai" })",
     "What its callers are told in place of what `rejection` says"},
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

namespace {

std::vector<gateway::LimitUse> uses(Build& build, const Node* section) {
  std::vector<gateway::LimitUse> out;
  for (const Node* each : children(find(section, "limits"), Kind::list)) {
    gateway::LimitUse use;
    if (each->kind == Kind::string) use.limit = each->text;
    if (each->kind == Kind::object) build_use(build, *each, use);
    out.push_back(std::move(use));  // one for each element, valid or not: check_plans finds its node by index
  }
  return out;
}

// Gives each route the name that `"per": "route"`, logs and metrics use.
void name_routes(Build& build) {
  auto& routes = build.config.gateway.routes;
  std::map<std::string, const Node*> taken;
  for (std::size_t i = 0; i < routes.size(); ++i) {
    const Node* name = text_at(build.route_nodes[i], "name");
    if (name == nullptr) continue;
    routes[i].name = name->text;
    const auto [first, fresh] = taken.emplace(name->text, name);
    if (fresh) continue;
    build.report.error(
        code::kDuplicate, *name,
        "another route is named " + in_quotes(name->written) + ", at " + build.report.place(first->second->span.begin),
        "give each its own name: limits per \"route\", logs and metrics tell them apart by it");
  }
  for (std::size_t i = 0; i < routes.size(); ++i) {
    auto& route = routes[i];
    if (text_at(build.route_nodes[i], "name") != nullptr || route.path.empty()) continue;
    std::string methods;
    for (const auto& method : route.methods) methods += (methods.empty() ? "" : ",") + method;
    const auto where = (methods.empty() ? "" : methods + ' ') + route.host + route.path;
    const std::array<std::string, 4> candidates{route.path, methods.empty() ? route.path : methods + ' ' + route.path,
                                                where, where + conditions_in_words(route.conditions)};
    const auto* free =
        std::find_if(candidates.begin(), candidates.end(), [&](const auto& each) { return !taken.contains(each); });
    route.name = free == candidates.end() ? candidates.back() + " (" + std::to_string(i) + ')' : *free;
    taken.emplace(route.name, build.route_nodes[i]);
  }
}

/// The normal form of a route's host, for comparison with requests' hosts. An invalid host is already reported.
std::string host_in_one_spelling(const std::string& written) {
  std::string out;
  const std::string below = written.starts_with("*.") ? "*." : "";
  return http::normalise_host(written.substr(below.size()), out) ? below + out : lower(written);
}

void build_route(Build& build, const Node& node) {
  gateway::RouteOptions route;
  fill(&node, kRoute, route);
  if (const Node* host = text_at(&node, "host")) route.host = host_in_one_spelling(host->text);
  route.methods = texts_once(build.report, find(&node, "methods"));
  route.conditions = build_conditions(build, node);
  route.conditions.any_case = ignores_case(build, route);
  read_https_port(node, route.https_port);
  build_target(build, node, route);
  build_on_reject(node, route);
  if (const Node* answer = find(&node, "respond"); answer != nullptr && answer->kind == Kind::object)
    build_respond(build, *answer, route.respond.emplace());
  build_edits(build, node, route.edits);
  if (route.edits && route.edits->redirect) {
    auto& answer = route.respond.emplace();
    answer.status = route.edits->redirect->status;
    answer.content_type.clear();
  }
  route.limits = uses(build, &node);
  for (const Node* each : texts(find(&node, "skip_limits"))) route.skip_limits.push_back(each->text);
  build_addresses(build, &node, route.addresses);
  build_require(build, node, route);
  build_auth(build, node, route);
  build_basic(build, node, route);
  route.cross_origin = build.config.gateway.all_routes.cross_origin;
  build_cross_origin(build, &node, route.cross_origin);
  build_compression_of_route(build, node, route);
  if (gateway::OwnBody body; build_body(build, find(&node, "rejection"), body)) route.own_body = std::move(body);
  build.config.gateway.routes.push_back(std::move(route));
  build.route_nodes.push_back(&node);
}

}  // namespace

void build_routes(Build& build) {
  const Node* all = find(&build.root, "all_routes");
  auto& out = build.config.gateway.all_routes;
  out.limits = uses(build, all);
  build_addresses(build, all, out.addresses);
  if (all != nullptr && all->kind == Kind::object) build_edits(build, *all, out.edits);
  build_cross_origin(build, all, out.cross_origin);
  build_compression(build, all, out.compression);
  for (const Node* each : children(find(&build.root, "routes"), Kind::list)) {
    if (each->kind == Kind::object) build_route(build, *each);
  }
  name_routes(build);
}

}  // namespace headgate::config
