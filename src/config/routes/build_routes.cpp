#include "config/build.hpp"
#include "config/formats/formats.hpp"
#include "config/table.hpp"
#include "config/text/codes.hpp"
#include "config/values.hpp"

#include "headgate/core/text.hpp"
#include "headgate/http/host.hpp"

#include <algorithm>
#include <array>
#include <map>

namespace headgate::config {
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

std::vector<std::string> methods(Build& build, const Node& route) {
  std::vector<std::string> out;
  for (const Node* each : texts(find(&route, "methods"))) {
    if (std::find(out.begin(), out.end(), each->text) != out.end()) {
      build.report.error(code::kDuplicate, *each, in_quotes(each->written) + " appears twice in this list",
                         "remove one of the two");
      continue;
    }
    out.push_back(each->text);
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
  if (const Node* host = text_at(&node, "host")) route.host = host_in_one_spelling(host->text);
  read(&node, "path", route.path);
  if (const Node* ignores = find(&node, "ignore_case"); ignores != nullptr && ignores->kind == Kind::boolean)
    read(&node, "ignore_case", route.ignore_case.emplace());
  read_choice(&node, "encoded_slash", kEncodedSlash, route.encoded_slash);
  route.methods = methods(build, node);
  route.conditions = build_conditions(build, node);
  route.conditions.any_case = ignores_case(build, route);
  read_https_port(node, route.https_port);
  build_target(build, node, route);
  if (const Node* answer = find(&node, "respond"); answer != nullptr && answer->kind == Kind::object)
    build_respond(build, *answer, route.respond.emplace());
  build_edits(build, node, route.edits);
  if (route.edits && route.edits->redirect) {
    auto& answer = route.respond.emplace();
    answer.status = route.edits->redirect->status;
    answer.content_type.clear();
  }
  route.limits = uses(build, &node);
  read_choice(&node, "priority", shed::kPriorityWords, route.priority);
  for (const Node* each : texts(find(&node, "skip_limits"))) route.skip_limits.push_back(each->text);
  read(&node, "waiting_room", route.waiting_room);
  build_require(build, node, route);
  route.cross_origin = build.config.gateway.all_routes.cross_origin;
  build_cross_origin(build, &node, route.cross_origin);
  if (text_at(&node, "unknown_key") != nullptr)
    read_choice(&node, "unknown_key", kUnknownKey, route.unknown_key.emplace());
  read(&node, "timeout", route.timeout);
  read(&node, "between_bytes", route.between_bytes);
  if (text_at(&node, "max_body") != nullptr) read_size(&node, "max_body", route.max_body.emplace());
  if (text_at(&node, "min_rate") != nullptr) read_size(&node, "min_rate", route.min_rate.emplace());
  if (text_at(&node, "client_close") != nullptr)
    read_choice(&node, "client_close", kClientClose, route.client_close.emplace());
  build_delivery(node, route);
  build.config.gateway.routes.push_back(std::move(route));
  build.route_nodes.push_back(&node);
}

}  // namespace

void build_routes(Build& build) {
  const Node* all = find(&build.root, "all_routes");
  auto& out = build.config.gateway.all_routes;
  out.limits = uses(build, all);
  if (all != nullptr && all->kind == Kind::object) build_edits(build, *all, out.edits);
  read(all, "timeout", out.timeout);
  read(all, "between_bytes", out.between_bytes);
  read_size(all, "max_body", out.max_body);
  read_size(all, "min_rate", out.min_rate);
  read_choice(all, "client_close", kClientClose, out.client_close);
  read_choice(all, "unknown_key", kUnknownKey, out.unknown_key);
  read(all, "ignore_case", out.ignore_case);
  build_cross_origin(build, all, out.cross_origin);
  for (const Node* each : children(find(&build.root, "routes"), Kind::list)) {
    if (each->kind == Kind::object) build_route(build, *each);
  }
  name_routes(build);
}

}  // namespace headgate::config
