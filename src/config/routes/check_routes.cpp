#include "config/build.hpp"
#include "config/text/codes.hpp"
#include "config/values.hpp"

#include "headgate/gateway/router.hpp"
#include "headgate/http/path.hpp"
#include "headgate/identity/network.hpp"

#include <algorithm>
#include <map>
#include <set>

namespace headgate::config {
namespace {

using gateway::Require;
using gateway::RouteOptions;

void check_encoded_slash(Build& build, const RouteOptions& route, const Node& node) {
  const Node* path = text_at(&node, "path");
  if (path == nullptr) return;
  std::string matched;
  std::string sent;
  const bool hides = http::normalise_path(route.path, matched, sent) == http::PathKind::hides_slash;
  const bool keeps = route.encoded_slash == gateway::EncodedSlash::keep;
  if (hides && !keeps) {
    build.report.warning(
        code::kUnreachable, *path,
        "no request can reach this route: an encoded slash or backslash in a path, or what is encoded twice, "
        "is refused",
        R"(add "encoded_slash": "keep", or leave it out of the path)");
  }
  if (keeps && !hides && route.path.find_first_of("*{") == std::string::npos) {
    build.report.warning_at_key(code::kNoEffect, *find(&node, "encoded_slash"),
                                "\"encoded_slash\" has no effect: no request for this path has an encoded slash",
                                "remove it");
  }
}

void check_upstream(Build& build, const Node& name) {
  if (build.upstream_numbers.contains(name.text)) return;
  if (name.replaced) {
    build.report.error(code::kUnresolved, name,
                       "the value of " + in_quotes(name.written) + " is not the name of an upstream");
    return;
  }
  auto help = suggestion(name.text, build.upstream_nodes, build.report);
  if (help.empty()) help = "add \"upstreams\": { " + in_quotes(name.text) + R"(: "http://127.0.0.1:3000" })";
  build.report.error(code::kUnresolved, name, "no upstream is named " + in_quotes(name.written), help);
}

void check_target(Build& build, const RouteOptions& route, const Node& node) {
  const Node* to = nullptr;
  std::vector<const Node*> targets;
  for (const Node* member : node.children) {
    if (member->key != "to" && member->key != "respond" && member->key != "redirect") continue;
    if (member->key == "to") to = member;
    targets.push_back(member);
  }
  if (targets.size() > 1) {
    build.report.error_at_key(code::kTarget, *targets.back(),
                              "a route has one of \"to\", \"respond\" and \"redirect\", and this one has " +
                                  in_quotes(targets.front()->key) + ", too",
                              "remove one of the two");
  }
  if (targets.empty()) {
    const Span brace{node.span.begin, node.span.begin + 1};
    const std::string upstream = build.upstream_nodes.empty() ? "app" : build.upstream_nodes.front()->key;
    build.report.error(code::kTarget, brace, pointer(node),
                       route_text(route) + " has no target: it has neither \"to\", \"respond\" nor \"redirect\"",
                       "add \"to\": " + in_quotes(upstream));
  }
  if (to != nullptr && to->kind == Kind::string) check_upstream(build, *to);
  if (const Node* instead = text_at(find(&node, "on_reject"), "to")) check_upstream(build, *instead);
  for (const Node* share : children(to, Kind::list))
    if (const Node* name = text_at(share, "upstream")) check_upstream(build, *name);
}

// Reports an error if the gateway can receive a client certificate neither by TLS nor in a PROXY header.
void check_certificates(Build& build, const RouteOptions& route, const Node& require) {
  const auto& listen = build.config.listen;
  const bool told = std::any_of(listen.begin(), listen.end(), [](const auto& each) { return each.proxy_protocol; }) &&
                    !build.config.identity.trusted_proxies.empty();
  if (told || asks_for_certificates(build.config)) return;
  build.report.error(code::kUnresolved, require,
                     route_text(route) +
                         " requires a client certificate, but no listener can learn of one: none has TLS with "
                         "\"client_ca\", and none accepts the PROXY protocol from trusted proxies",
                     R"(add "client_ca": "/etc/headgate/clients-ca.pem" to the "tls" of the listener)");
}

/// Checks that the route's upstreams speak HTTP/2, because calls of gRPC-Web are translated to gRPC.
void check_grpc_web(Build& build, const RouteOptions& route, const Node& node) {
  const Node* written = find(&node, "grpc_web");
  if (written == nullptr || !route.grpc_web) return;
  if (route.respond) {
    build.report.warning_at_key(code::kNoEffect, *written,
                                "\"grpc_web\" has no effect: this route answers without an upstream", "remove it");
    return;
  }
  for (const auto* const upstream : upstreams_of(build, route)) {
    const auto number = build.upstream_numbers.find(upstream->name)->second;
    if (build.config.upstreams[number].http2) continue;
    build.report.error_at_key(code::kConflict, *written,
                              "\"grpc_web\" turns requests into gRPC calls, and the servers of upstream " +
                                  in_quotes(upstream->name) + " speak HTTP/1.1, which cannot carry them",
                              "add \"protocol\": \"http2\" to the upstream");
  }
}

void check_unknown_key(Build& build, const Node* section, Require require) {
  const Node* written = find(section, "unknown_key");
  if (written == nullptr) return;
  if (!build.config.identity.api_key.any_known()) {
    build.report.warning_at_key(code::kNoEffect, *written,
                                "\"unknown_key\" has no effect: no API key is known, so any text is accepted as a key",
                                kNameKeys);
  } else if (require == Require::api_key && written->text == "anonymous") {
    build.report.warning_at_key(code::kNoEffect, *written,
                                "\"unknown_key\" has no effect: this route requires a known API key anyway",
                                "remove it");
  }
}

void check_require(Build& build, const RouteOptions& route, const Node& node) {
  const Node* require = find(&node, "require");
  if (require == nullptr) return;
  if (route.require == Require::mtls) check_certificates(build, route, *require);
  check_demands(build, route, node);
  if (route.require == Require::api_key && !route.demands && !build.config.identity.api_key.any_known()) {
    build.report.warning(code::kBelieved, *require,
                         route_text(route) + " requires an API key, but none is known, so any text is accepted",
                         kNameKeys);
  }
  if (route.require != Require::jwt || build.config.identity.jwt) return;
  build.report.error(code::kUnresolved, *require,
                     route_text(route) + " requires a JWT, but \"identity\" has no \"jwt\" to verify it with",
                     R"(add "identity": { "jwt": { "algorithms": ["HS256"], "secret": "${JWT_SECRET}" } })");
}

/// Returns a text that is equal only for equal conditions.
std::string text_of(const gateway::RouteConditions& conditions) {
  std::string out;
  const auto add = [&out](std::string_view text) {
    out += ' ' + std::to_string(text.size()) + ':' + std::string(text);
  };
  for (const auto* const list : {&conditions.headers, &conditions.query}) {
    if (!list->empty()) out += list == &conditions.headers ? " with" : " asking";
    for (const auto& each : *list) {
      out += ' ' + std::to_string(each.values.size());
      add(each.name);
      for (const auto& value : each.values) add(value);
    }
  }
  for (const auto& block : conditions.client_ip) out += " from " + identity::to_text(block);
  if (conditions.path) {
    out += " matching";
    add(conditions.path_pattern);
  }
  return out;
}

// The methods that are left for a route by the earlier routes with the same host, path and conditions, in the order of
// the file.
struct Overlap {
  std::set<std::string> own;   // the later route's methods; empty for all
  std::set<std::string> left;  // its methods that no earlier route takes
  const Node* taker = nullptr;
  bool twice = false;  // whether an earlier route has exactly the same methods
};

Overlap overlap(const Build& build, const std::vector<std::size_t>& same, std::size_t late) {
  const auto& routes = build.config.gateway.routes;
  const auto& methods = routes[same[late]].methods;
  Overlap out{.own = {methods.begin(), methods.end()}, .left = {methods.begin(), methods.end()}};
  for (std::size_t early = 0; early < late && !out.twice; ++early) {
    const auto& other = routes[same[early]].methods;
    const std::set<std::string> theirs(other.begin(), other.end());
    out.twice = out.own == theirs;
    bool takes = out.twice;
    for (const auto& method : theirs) takes = out.left.erase(method) > 0 || takes;
    if (takes) out.taker = build.route_nodes[same[early]];
  }
  return out;
}

void report_overlap(Build& build, const RouteOptions& route, const Node& node, const Overlap& found) {
  const auto place = build.report.place(found.taker->span.begin);
  const std::string same = route.conditions.empty() ? "host, path and methods" : "host, path, conditions and methods";
  if (found.twice) {
    build.report.error(code::kDuplicate, {node.span.begin, node.span.begin + 1}, pointer(node),
                       "this route has the same " + same + " as the one at " + place,
                       "merge them, or give them different methods");
    return;
  }
  const auto other = in_quotes(route.path) + " at " + place;
  if (found.left.empty()) {
    build.report.warning(code::kUnreachable, node,
                         "no request can reach this route: " + other + " has the same methods and host",
                         "remove one of the two, or change its methods");
    return;
  }
  std::string lost;
  for (const auto& method : found.own) {
    if (!found.left.contains(method)) lost.append(lost.empty() ? "" : ", ").append(method);
  }
  build.report.warning(code::kUnreachable, node, "no " + lost + " request can reach this route: " + other + " takes it",
                       "leave " + lost + " out of \"methods\" here");
}

void check_same_path(Build& build, const std::vector<std::size_t>& same) {
  for (std::size_t late = 1; late < same.size(); ++late) {
    const auto found = overlap(build, same, late);
    if (found.taker == nullptr) continue;
    report_overlap(build, build.config.gateway.routes[same[late]], *build.route_nodes[same[late]], found);
  }
}

/// Warns if the search for a route may be long. Most searches compare a handful of segments. But each segment at which
/// both a literal and a parameter are possible doubles the work, and anyone could send the path that makes the search
/// longest.
void check_search(Build& build) {
  constexpr std::size_t kLongest = 1'024;
  const auto& routes = build.config.gateway.routes;
  const auto has_parameter = [](const RouteOptions& route) { return route.path.find('{') != std::string::npos; };
  if (build.report.has_errors() || std::none_of(routes.begin(), routes.end(), has_parameter)) return;
  gateway::Router router(gateway::Case::ignored);
  for (const auto& route : routes) {
    if (route.descriptor) continue;
    router.add(route.host, route.path, {}, nullptr,
               ignores_case(build, route) ? gateway::Case::ignored : gateway::Case::matters);
  }
  const auto longest = router.longest_search();
  if (longest <= kLongest) return;
  build.report.error_at_key(code::kRange, *find(&build.root, "routes"),
                            "one request may have to be compared with " + std::to_string(longest) +
                                " segments of these paths, and at most " + std::to_string(kLongest) + " are accepted",
                            "let paths with {parameters} differ in an earlier segment");
}

/// Reports a route at the path where callers ask what is left of their limits: no request reaches that route.
void check_usage(Build& build) {
  const auto& usage = build.config.gateway.usage;
  const auto& routes = build.config.gateway.routes;
  for (std::size_t i = 0; i < routes.size() && !usage.empty(); ++i) {
    if (routes[i].path != usage) continue;
    build.report.error(code::kDuplicate, *text_at(build.route_nodes[i], "path"),
                       "callers ask at " + in_quotes(usage) + " for the rest of their limits (\"usage\")",
                       "give this route or \"usage\" another path");
  }
}

}  // namespace

bool ignores_case(const Build& build, const RouteOptions& route) {
  return route.ignore_case.value_or(build.config.gateway.all_routes.ignore_case);
}

std::string shape_of(const Build& build, const RouteOptions& route) {
  const std::string_view path = route.path;
  std::string out;
  for (std::size_t at = 0; at < path.size(); ++at) {
    out += path[at];
    if (path[at] == '{') at = std::min(path.find('}', at), path.size()) - 1;
  }
  if (out.size() > 1 && out.ends_with('/')) out.pop_back();
  return ignores_case(build, route) ? http::fold_case(out) + " in any case" : out;
}

void check_routes(Build& build) {
  const auto& routes = build.config.gateway.routes;
  check_unknown_key(build, find(&build.root, "all_routes"), Require::nothing);
  std::map<std::string, std::vector<std::size_t>> by_path;
  for (std::size_t i = 0; i < routes.size(); ++i) {
    const Node& node = *build.route_nodes[i];
    if (routes[i].descriptor) continue;
    check_target(build, routes[i], node);
    check_require(build, routes[i], node);
    check_split(build, routes[i], node);
    check_on_reject(build, routes[i], node);
    check_unknown_key(build, &node, routes[i].require);
    check_encoded_slash(build, routes[i], node);
    check_grpc_web(build, routes[i], node);
    const Node* methods = find(&node, "methods");
    const bool valid = text_at(&node, "path") != nullptr && (methods == nullptr || methods->kind == Kind::list);
    if (valid) by_path[routes[i].host + ' ' + shape_of(build, routes[i]) + text_of(routes[i].conditions)].push_back(i);
  }
  for (const auto& [path, same] : by_path) check_same_path(build, same);
  check_usage(build);
  check_search(build);
}

}  // namespace headgate::config
