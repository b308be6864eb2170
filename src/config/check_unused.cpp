// Warns about limits, upstreams and credentials that nothing uses.

#include "build.hpp"
#include "config/text/codes.hpp"
#include "values.hpp"

#include "headgate/gateway/each_per.hpp"
#include "headgate/gateway/key_source.hpp"

#include <algorithm>
#include <set>

namespace headgate::config {
namespace {

using gateway::Needs;
using gateway::Require;
using gateway::RouteOptions;

/// Returns whether anything uses this credential: a route that requires it, or a key by which requests are counted.
bool is_asked_for(const Build& build, const std::set<std::string>& used, Require require, Needs needs) {
  const auto& gateway = build.config.gateway;
  bool any = false;
  const auto is = [&](const limit::Per& per) { any = any || per.source->needs == needs; };
  for (const auto& limit : build.config.limits)
    if (used.contains(limit.name)) gateway::each_per(limit, is);
  for (const auto& room : gateway.rooms) gateway::each_per(room.per, is);
  for (const auto& upstream : build.config.upstreams) gateway::each_per(upstream, is);
  for (const auto& route : gateway.routes) {
    any = any || route.require == require;
    if (route.split) gateway::each_per(route.split->by, is);
  }
  return any;
}

/// Returns whether a field is made from a claim.
using Kinds = std::initializer_list<gateway::TextPart::Kind>;

bool has_parts(const std::shared_ptr<const gateway::EditOptions>& edits, Kinds kinds) {
  if (!edits) return false;
  const auto wanted = [kinds](const gateway::TextPart& part) {
    return std::find(kinds.begin(), kinds.end(), part.kind) != kinds.end();
  };
  const auto made = [&](const gateway::FieldEdit& each) {
    return std::any_of(each.value.begin(), each.value.end(), wanted);
  };
  const auto any = [&](const auto& list) { return std::any_of(list.begin(), list.end(), made); };
  return any(edits->request_fields) || any(edits->response_fields) || any(edits->respond_fields);
}

bool makes_fields_of(const Build& build, Kinds kinds) {
  const auto& gateway = build.config.gateway;
  return has_parts(gateway.all_routes.edits, kinds) ||
         std::any_of(gateway.routes.begin(), gateway.routes.end(),
                     [kinds](const RouteOptions& route) { return has_parts(route.edits, kinds); });
}

/// Warns of credentials that are configured but that no route or limit uses. Their user may believe that callers have
/// to send them.
void check_credentials_used(Build& build, const std::set<std::string>& limits) {
  const Node* identity = find(&build.root, "identity");
  const auto spares = [](const gateway::Exemption& each) { return !each.api_keys.empty(); };
  const auto& exemptions = build.config.gateway.exemptions;
  using Part = gateway::TextPart::Kind;
  const Node* jwt = find(identity, "jwt");
  if (jwt != nullptr && !is_asked_for(build, limits, Require::jwt, Needs::token) &&
      !makes_fields_of(build, {Part::claim})) {
    build.report.warning_at_key(code::kUnused, *jwt, "no token is ever verified: no route or limit uses one",
                                R"(add "require": "jwt" to a route, or count by a claim, as in "per": "jwt.sub")");
  }
  const Node* key = find(identity, "api_key");
  if (key != nullptr && !is_asked_for(build, limits, Require::api_key, Needs::api_key) &&
      std::none_of(exemptions.begin(), exemptions.end(), spares) &&
      build.config.identity.api_key.caller_headers.empty() &&
      !makes_fields_of(build, {Part::key_owner, Part::key_tier, Part::key_tags})) {
    build.report.warning_at_key(code::kUnused, *key, "no API key is ever read: no route or limit uses one",
                                R"(add "require": "api_key" to a route, or count by it: "per": "api_key")");
  }
}

}  // namespace

void check_unused(Build& build) {
  std::set<std::string> limits;
  std::set<std::string> upstreams;
  // A misspelt name is already reported, so the name that was probably meant does not count as unused. Only the first
  // misspelt names are looked up, because that compares each with all names.
  constexpr int kMisspelt = 100;
  int misspelt = 0;
  const auto use = [&](std::set<std::string>& used, const std::string& name, const NumbersByName& known,
                       const std::vector<const Node*>& nodes) {
    if (!used.insert(name).second || known.contains(name) || ++misspelt > kMisspelt) return;
    if (const Node* near = nearest_node(name, nodes)) used.insert(near->key);
  };
  const auto use_limit = [&](const gateway::LimitUse& each) {
    use(limits, each.limit, build.limit_numbers, build.limit_nodes);
  };
  for (const auto& each : build.config.gateway.all_routes.limits) use_limit(each);
  for (const auto& route : build.config.gateway.routes) {
    use(upstreams, route.to, build.upstream_numbers, build.upstream_nodes);
    if (route.split)
      for (const auto& share : route.split->shares)
        use(upstreams, share.upstream, build.upstream_numbers, build.upstream_nodes);
    if (route.auth && route.auth->to.find('/') == std::string::npos)
      use(upstreams, route.auth->to, build.upstream_numbers, build.upstream_nodes);
    if (!route.to_instead.empty()) use(upstreams, route.to_instead, build.upstream_numbers, build.upstream_nodes);
    if (route.mirror) use(upstreams, route.mirror->to, build.upstream_numbers, build.upstream_nodes);
    for (const auto& each : route.limits) use_limit(each);
  }
  check_credentials_used(build, limits);
  for (const Node* each : build.limit_nodes) {
    if (limits.contains(each->key)) continue;
    build.report.warning_at_key(code::kUnused, *each, "limit " + in_quotes(each->key) + " is used by no route",
                                "name it in a route's \"limits\", or remove it");
  }
  for (const Node* each : build.upstream_nodes) {
    if (upstreams.contains(each->key)) continue;
    build.report.warning_at_key(code::kUnused, *each, "upstream " + in_quotes(each->key) + " is used by no route",
                                "send a route \"to\" it, or remove it");
  }
}

}  // namespace headgate::config
