// Builds the options of the routes from the keys of the file.

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
    {"timeout", &kDuration, kOfOptions, R"("10s")", "Maximum time until the first byte of the server's answer",
     into<&gateway::AllRoutes::timeout>},
    {"between_bytes", &kDuration, kOfOptions, R"("5m")",
     "Maximum pause within a server's answer; must be longer than the pause between two Server-Sent Events",
     into<&gateway::AllRoutes::between_bytes>},
    {"max_body", &kBodySize, kOfOptions, R"("1MiB")", "Largest request body", into<&gateway::AllRoutes::max_body>},
    {"min_rate", &kMinRate, kOfOptions, R"("500B")",
     "Minimum rate per second at which a client must send a request body and accept an answer, averaged over "
     "`timeouts.body`; slower exchanges end within twice that time. `0` disables it. Tunnels are exempt",
     into<&gateway::AllRoutes::min_rate>},
    {"client_close", &kClientCloseShape, kOfOptions, R"("ignore")",
     "When a client closes its connection or sending side before the answer: `end` ends the request. `ignore` "
     "continues, for clients that half-close and still read; requests that wait in the gateway end anyway",
     into<&gateway::AllRoutes::client_close>},
    {"addresses", &kAddressesShape, "", R"({ "deny_file": "/etc/headgate/denied.txt" })",
     "Client addresses that may use every route; others get 403"},
    {"unknown_key", &kUnknownKeyShape, kOfOptions, R"("reject")",
     "Callers whose API key is unknown, expired or disabled: `anonymous` treats them as having no key, `reject` "
     "refuses them. Routes that require a key always refuse them",
     into<&gateway::AllRoutes::unknown_key>},
    {"ignore_case", &kBoolean, kOfOptions, "true",
     "Whether paths match regardless of case, as in Express, IIS and optionally Spring; counting by `{parameters}` "
     "then ignores case too",
     into<&gateway::AllRoutes::ignore_case>},
    {"request_headers", &kRequestFieldsShape, "", R"({ "set": { "X-Gateway": "edge" } })",
     "Changes of request fields for servers"},
    {"response_headers", &kResponseFieldsShape, "", R"({ "set": { "X-Frame-Options": "DENY" } })",
     "Changes of answer fields for clients"},
    {"host_header", &kHostHeaderShape, "keep", R"("server")",
     "`Host` for servers: `keep` (the client's), `server` (the server's name), or a host"},
    {"cors", &kCorsShape, R"("off")", R"({ "origins": ["https://app.example.com"] })",
     "Pages of other origins that may use every route from a browser"},
    {"compress", &kCompressShape, "false", "true", "Compression of the answers of every route"},
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
constexpr WordsUpTo<gateway::UnreadableBody::count> kUnreadableBody({"reject", "count"});
constexpr Shape kUnreadableBodyShape = choice(kUnreadableBody);
constexpr Key kRouteKeys[] = {
    {"name", &kRouteName, "", R"("login")", "Name in logs and metrics. Default: the path"},
    {"host", &kHost, "", R"("api.example.com")",
     "Host to match; `*.example.com` matches every host below it. Default: any"},
    {"path", &kPath, "", R"("/v1/*")",
     "Path to match: exact, `/prefix/*` (also matches `/prefix`), or with parameters as in `/users/{id}`. The most "
     "specific route wins",
     into<&gateway::RouteOptions::path>, required},
    {"ignore_case", &kBoolean, "", "true", "Like `all_routes.ignore_case`, for this route",
     into<&gateway::RouteOptions::ignore_case>},
    {"encoded_slash", &kEncodedSlashShape, kOfOptions, R"("keep")",
     "Paths with `%2F`, `%5C` or twice encoded letters, digits, `-`, `.`, `_` or `~` (`%2570`), which servers read "
     "differently: `reject` refuses them, `keep` passes them on as part of their segment",
     into<&gateway::RouteOptions::encoded_slash>},
    {"methods", &kMethods, "", R"(["GET", "HEAD"])", "Methods to match. Default: all"},
    {"headers", &kFieldConditions, "", R"({ "X-Version": "2", "X-Plan": ["pro", "team"], "X-Debug": true })",
     "Fields to match: each with this value, one of these values, or any value (`true`)"},
    {"query", &kParameterConditions, "", R"({ "format": "csv" })",
     "Query parameters to match: each with this value, one of these values, or any value (`true`)"},
    {"client_ip", &kClientBlocks, "", R"(["10.0.0.0/8"])",
     "Client address blocks to match; a condition like those of `headers` and `query`"},
    {"path_matches", &kRegex, "", R"("/v[0-9]+/users/[0-9]+")",
     "Regular expression (RE2) that the whole path must match too, for what a pattern cannot express. Of two such "
     "routes, the first in the file goes first"},
    {"redirect_to_https", &kRedirectToHttps, "", "false",
     "Like `redirect_to_https` of a listener, for this route. Default: the listener's"},
    {"to", &kToShape, "", R"("app")", "Upstream of the requests, or several with weights",
     into<&gateway::RouteOptions::to>},
    {"on_reject", &kOnRejectShape, "", R"({ "to": "lite" })",
     "Another upstream for requests that a limit rejects, and for all requests while the circuit is open"},
    {"split_by", &kSplitByShape, "", R"("client_ip")",
     "With several upstreams: requests with the same value of this key go to the same one; requests without a value "
     "use their address. Keys as for `limits.<name>.per`, except `total`; `host`, `route` and `upstream` only with "
     "another one. Default: at random"},
    {"respond", &kRespondShape, "", R"({ "status": 200, "body": "ok\n" })", "Answer without an upstream"},
    {"redirect", &kRedirectShape, "", R"({ "to": "https://example.com/new/*" })", "Redirects the client"},
    {"rewrite", &kRewriteShape, "", R"({ "strip_prefix": "/api" })",
     "Path that the server sees. Default: the client's, normalised"},
    {"request_headers", &kRequestFieldsShape, "", R"({ "set": { "X-User": "${jwt.sub}" } })",
     "Changes of request fields for the server, after those of `all_routes`"},
    {"response_headers", &kResponseFieldsShape, "", R"({ "remove": ["X-Powered-By"] })",
     "Changes of answer fields for the client, after those of `all_routes`"},
    {"host_header", &kHostHeaderShape, "", R"("server")", "Like `all_routes.host_header`, for this route"},
    {"rewrite_answers", &kBoolean, "", "true",
     "Whether `Location`, `Content-Location`, and `Domain` and `Path` of `Set-Cookie` are translated back to the "
     "client's host and path. Default: if `rewrite` or `host_header` changes the request"},
    {"priority", &kPriorityShape, kOfOptions, R"("critical")",
     "Priority of requests, unless a trusted proxy or a tier gives another: under overload `low` is refused first, "
     "`critical` last",
     into<&gateway::RouteOptions::priority>},
    {"limits", &kLimitUses, "[]", R"(["per-ip", { "use": "plan", "cost": 10 }])",
     "Limits of this route. All must allow a request; a rejected request takes no permits"},
    {"skip_limits", &kLimitNames, "[]", R"(["per-ip"])", "Limits of `all_routes` that do not apply here"},
    {"waiting_room", &kRoomName, "", R"("sale")", "Waiting room in `waiting_rooms` that callers pass first",
     into<&gateway::RouteOptions::waiting_room>},
    {"addresses", &kAddressesShape, "", R"({ "allow": ["10.0.0.0/8"] })",
     "Client addresses that may use the route, in addition to `all_routes.addresses`; others get 403"},
    {"require", &kRequireShape, R"("nothing")", R"("jwt")",
     "Credential that callers must have: a valid token (`jwt`), a known key (`api_key`), or a verified client "
     "certificate (`mtls`; from a listener with `client_ca`, or reported by a trusted proxy in the PROXY protocol). An "
     "object also has requirements on the token or key"},
    {"auth", &kAuthShape, "", R"({ "url": "http://auth/check", "copy": ["X-User"] })",
     "Service that decides whether a request may pass, and can identify the caller"},
    {"basic", &kBasicShape, "", R"("/etc/headgate/users.htpasswd")",
     "Users and passwords (basic authentication) that callers must have; limits can count by `basic.user`"},
    {"cors", &kCorsShape, "", R"("off")", "Like `all_routes.cors`, in place of it"},
    {"compress", &kCompressShape, "", R"({ "min_size": "256B" })", "Like `all_routes.compress`, for this route"},
    {"unknown_key", &kUnknownKeyShape, "", R"("reject")", "Like `all_routes.unknown_key`, for this route",
     into<&gateway::RouteOptions::unknown_key>},
    {"timeout", &kDuration, "", R"("2m")", "Like `all_routes.timeout`, for this route",
     into<&gateway::RouteOptions::timeout>},
    {"between_bytes", &kDuration, "", R"("1h")", "Like `all_routes.between_bytes`, for this route",
     into<&gateway::RouteOptions::between_bytes>},
    {"max_body", &kBodySize, "", R"("64MiB")", "Like `all_routes.max_body`, for this route",
     into<&gateway::RouteOptions::max_body>},
    {"min_rate", &kMinRate, "", R"("0")", "Like `all_routes.min_rate`, for this route",
     into<&gateway::RouteOptions::min_rate>},
    {"client_close", &kClientCloseShape, "", R"("ignore")", "Like `all_routes.client_close`, for this route",
     into<&gateway::RouteOptions::client_close>},
    {"buffer_request", &kHeldBodySize, "", R"("64KiB")",
     "Largest request body that is read before a server is chosen, so that slow uploads hold no server and failed "
     "requests can be sent again. Larger bodies are passed on as they arrive. Default: none is held",
     into<&gateway::RouteOptions::held_body>},
    {"read_body", &kHeldBodySize, "", R"("256KiB")",
     "Largest request body that limits read. Default: `64KiB`, or `32MiB` if a `hold` is read from it; never more than "
     "`max_body`",
     into<&gateway::RouteOptions::read_body>},
    {"unreadable_body", &kUnreadableBodyShape, "", R"("count")",
     "A request whose body limits cannot read (too large, malformed, compressed, of another type): `reject` refuses "
     "it, "
     "`count` takes `otherwise` as its cost. Default: `reject` if a limit counts by a value in the body",
     into<&gateway::RouteOptions::unreadable_body>},
    {"grpc_web", &kBoolean, "false", "true",
     R"(Whether gRPC-Web calls of browsers become gRPC calls; needs an upstream with `"protocol": "http2"`)",
     into<&gateway::RouteOptions::grpc_web>},
    {"mirror", &kMirrorShape, "", R"({ "to": "shadow", "share": "10%" })",
     "Sends copies of requests to another upstream, whose answers are dropped", into<&gateway::RouteOptions::mirror>},
    {"rejection", &kRouteRejectionShape, "", R"({ "body": "openai" })",
     "Fields and body of the gateway's own answers, in place of `rejection`"},
};
constexpr Section kRoute{"route", "routes[]", "Requests, their limits, and where they go.", kRouteKeys};
constexpr Shape kRouteShape = section(kRoute);

}  // namespace

constexpr Section kAllRoutesSection{"all_routes", "all_routes",
                                    "Defaults for every route. Limits add up with the route's; `timeout`, "
                                    "`between_bytes`, `max_body`, `min_rate` and `client_close` can be overridden.",
                                    kAllRoutesKeys};
constexpr Shape kRoutes = list("a list of routes", kRouteShape, 1, 100'000);

namespace {}  // namespace

std::vector<gateway::LimitUse> uses(Build& build, const Node* section) {
  std::vector<gateway::LimitUse> out;
  for (const Node* each : children(find(section, "limits"), Kind::list)) {
    gateway::LimitUse use;
    if (each->kind == Kind::string) use.limit = each->text;
    if (each->kind == Kind::object) build_use(build, *each, use);
    // Even an invalid element gets an entry, because check_plans() finds the node of an entry by its index.
    out.push_back(std::move(use));
  }
  return out;
}

namespace {

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

/// Returns the normal form of a route's host, for comparison with requests' hosts. An invalid host is already reported.
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
  route.cors = build.config.gateway.all_routes.cors;
  build_cors(build, &node, route.cors);
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
  build_cors(build, all, out.cors);
  build_compression(build, all, out.compression);
  for (const Node* each : children(find(&build.root, "routes"), Kind::list)) {
    if (each->kind == Kind::object) build_route(build, *each);
  }
  build_decide(build);
  name_routes(build);
}

}  // namespace headgate::config
