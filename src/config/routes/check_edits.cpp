// Checks that the edits of routes fit their paths, their targets and the known values of callers.

#include "config/build.hpp"
#include "config/text/codes.hpp"
#include "config/values.hpp"

#include "headgate/gateway/key_source.hpp"
#include "headgate/http/fields.hpp"

#include <algorithm>
#include <string>

namespace headgate::config {
namespace {

using gateway::FieldEdit;
using gateway::RouteOptions;
using gateway::TextPart;

bool has_parameter(std::string_view path, std::string_view name) {
  return path.find("/{" + std::string(name) + "}") != std::string_view::npos;
}

bool is_of_key(TextPart::Kind kind) {
  using Kind = TextPart::Kind;
  return kind == Kind::key_owner || kind == Kind::key_tier || kind == Kind::key_tags;
}

const Node* value_node(const Node* block, const FieldEdit& edit) {
  for (const char* const key : {"set", "add", "headers"})
    if (const Node* found = find(find(block, key), edit.name)) return found;
  return nullptr;
}

/// `route` is null for the edits of all routes.
void check_variables(Build& build, const std::vector<FieldEdit>& edits, const Node* block, const RouteOptions* route) {
  for (const auto& edit : edits) {
    const Node* node = value_node(block, edit);
    if (node == nullptr) continue;
    for (const auto& part : edit.value) {
      if (part.kind == TextPart::Kind::claim)
        if (const auto per = gateway::read_per("jwt." + part.text))
          demand_jwt(build, *node, "this field is made from", *per);
      if (is_of_key(part.kind) && !build.config.identity.api_key.any_known())
        build.report.error(code::kUnresolved, *node,
                           "this field is made from the record of an API key, and no API key is known", kNameKeys);
      if (part.kind == TextPart::Kind::auth && (route == nullptr || !route->auth))
        build.report.error(code::kUnresolved, *node,
                           route == nullptr ? "not every route asks a service that says " + in_quotes(part.text)
                                            : "this route asks no auth service that returns " + in_quotes(part.text),
                           R"(set this field in the routes that have "auth": "http://auth/check")");
      if (part.kind == TextPart::Kind::user && (route == nullptr || !route->basic))
        build.report.error(code::kUnresolved, *node,
                           route == nullptr ? "not every route asks for a name and a password"
                                            : "this route asks for no name and no password",
                           R"(set this field in the routes that have "basic": "users.htpasswd")");
      if (part.kind != TextPart::Kind::path || (route != nullptr && has_parameter(route->path, part.text))) continue;
      build.report.error(code::kUnresolved, *node,
                         route == nullptr ? "not every route has the parameter {" + part.text + "} in its path"
                                          : "the path of this route has no parameter {" + part.text + "}",
                         route == nullptr ? "set this field in the routes that have it"
                                          : "write \"path\": \"/users/{" + part.text + "}\"");
    }
  }
}

/// Reports fields that a route sets although "identity" puts verified facts about the caller into them. The route would
/// contradict these facts.
void check_claim_fields(Build& build, const std::vector<FieldEdit>& edits, const Node* block) {
  const auto& identity = build.config.identity;
  const auto proves = [&](const auto& fields, std::string_view name) {
    return std::any_of(fields.begin(), fields.end(),
                       [&](const auto& each) { return http::same_variable(each.first, name); });
  };
  for (const auto& edit : edits) {
    const bool claim = identity.jwt && proves(identity.jwt->claim_headers, edit.name);
    if (!claim && !proves(identity.certificate_headers, edit.name) &&
        !proves(identity.api_key.caller_headers, edit.name))
      continue;
    build.report.error(code::kConflict, block == nullptr ? build.root : *block,
                       in_quotes(edit.name) + " is a field in which \"identity\" tells servers who is calling",
                       "give one of the two another name");
  }
}

void check_fields(Build& build, const Node& section, const gateway::EditOptions& edits, const RouteOptions* route) {
  const Node* request = find(&section, "request_headers");
  check_variables(build, edits.request_fields, request, route);
  check_variables(build, edits.response_fields, find(&section, "response_headers"), route);
  check_variables(build, edits.respond_fields, find(&section, "respond"), route);
  check_claim_fields(build, edits.request_fields, request);
}

/// Reports fields that are copied from the auth service although "identity" sets them.
void check_copied(Build& build, const Node& node, const RouteOptions& route) {
  std::vector<FieldEdit> copied;
  for (const auto& name : route.auth->copy) copied.push_back({.how = FieldEdit::How::set, .name = name});
  check_claim_fields(build, copied, find(&node, "auth"));
}

/// Checks that the parameters and the "*" of a path that is made from the route's path exist there.
void check_taken(Build& build, const Node& node, std::string_view made, const RouteOptions& route) {
  for (auto open = made.find('{'); open != made.npos; open = made.find('{', open + 1)) {
    const auto name = made.substr(open + 1, made.find('}', open) - open - 1);
    if (has_parameter(route.path, name)) continue;
    build.report.error(code::kUnresolved, node, "the path of this route has no parameter {" + std::string(name) + "}",
                       "its path is " + in_quotes(route.path));
  }
  const auto path = made.substr(0, made.find('?'));
  if (!path.ends_with("/*") || route.path.ends_with("/*")) return;
  build.report.error(code::kUnresolved, node,
                     "\"*\" stands for the part that \"/*\" in the route's path matches, and that path has no \"/*\"",
                     "its path is " + in_quotes(route.path));
}

void check_rewrite(Build& build, const Node& node, const RouteOptions& route) {
  const auto& rewrite = route.edits->rewrite;
  const Node* path = find(&node, "path");
  const Node* strip = find(&node, "strip_prefix");
  const Node* add = find(&node, "add_prefix");
  if (path != nullptr && (strip != nullptr || add != nullptr)) {
    build.report.error_at_key(code::kConflict, *path, "\"path\" replaces \"strip_prefix\" and \"add_prefix\"",
                              "keep either");
  }
  if (path != nullptr && !rewrite.path.empty()) check_taken(build, *path, rewrite.path, route);
  if (rewrite.strip_prefix.empty()) return;
  const bool begins =
      route.path.starts_with(rewrite.strip_prefix) &&
      (route.path.size() == rewrite.strip_prefix.size() || route.path[rewrite.strip_prefix.size()] == '/');
  if (begins) return;
  build.report.error(code::kConflict, *strip,
                     "the path of this route, " + in_quotes(route.path) + ", does not begin with it",
                     "write \"path\": " + in_quotes(rewrite.strip_prefix + "/*"));
}

void check_effect(Build& build, const Node& node) {
  if (find(&node, "to") != nullptr || decides(build)) return;
  for (const char* const key : {"rewrite", "request_headers", "host_header", "rewrite_answers"}) {
    if (const Node* member = find(&node, key))
      build.report.warning_at_key(code::kNoEffect, *member,
                                  in_quotes(key) + " has no effect: this route asks no server", "remove it");
  }
}

void check_redirect(Build& build, const Node& node, const RouteOptions& route) {
  const auto& to = route.edits->redirect->to;
  check_taken(build, node, to, route);
  // If the route names methods, another route may get the redirected request, as after a POST with 303.
  const bool same = to.substr(0, to.find('?')) == route.path;
  if (same && route.methods.empty())
    build.report.error(code::kConflict, node, "this redirect leads to the route itself", "send the client elsewhere");
}

}  // namespace

void check_edits(Build& build) {
  const auto& all = build.config.gateway.all_routes.edits;
  if (const Node* section = find(&build.root, "all_routes"); all && section != nullptr)
    check_fields(build, *section, *all, nullptr);
  const auto& routes = build.config.gateway.routes;
  for (std::size_t i = 0; i < routes.size(); ++i) {
    if (routes[i].auth) check_copied(build, *build.route_nodes[i], routes[i]);
    if (!routes[i].edits || routes[i].path.empty()) continue;
    const Node& node = *build.route_nodes[i];
    check_effect(build, node);
    check_fields(build, node, *routes[i].edits, &routes[i]);
    if (const Node* rewrite = find(&node, "rewrite"); rewrite != nullptr && rewrite->kind == Kind::object)
      check_rewrite(build, *rewrite, routes[i]);
    if (routes[i].edits->redirect) check_redirect(build, *find(find(&node, "redirect"), "to"), routes[i]);
  }
}

}  // namespace headgate::config
