// The choice of a server within an upstream.

#include "config/build.hpp"
#include "config/formats/formats.hpp"
#include "config/text/codes.hpp"
#include "config/values.hpp"
#include "config/words.hpp"

#include "headgate/balance/policy.hpp"
#include "headgate/core/literals.hpp"
#include "headgate/core/text.hpp"
#include "headgate/gateway/key_source.hpp"

#include <algorithm>
#include <vector>

namespace headgate::config {
namespace {

using gateway::Needs;
using limit::Per;

constexpr const char* kSayPer = R"(write "balance": { "policy": "#", "per": "client_ip" })";

std::string say_per(std::string_view policy) {
  std::string out = kSayPer;
  return out.replace(out.find('#'), 1, policy);
}

void build_policy(Build& build, const Node& written, gateway::UpstreamOptions& out) {
  const bool object = written.kind == Kind::object;
  const Node* name = object ? text_at(&written, "policy") : &written;
  if (name == nullptr || name->kind != Kind::string) return;
  const auto* const policy = balance::find_policy(name->text);
  if (policy == nullptr) return;
  out.balance = policy;
  const Node* per = object ? find(&written, "per") : nullptr;
  if (policy->keyed && per == nullptr) {
    build.report.error(code::kConflict, *name,
                       in_quotes(policy->name) + " needs to know which requests belong together",
                       say_per(policy->name));
    return;
  }
  if (per == nullptr) return;
  if (!policy->keyed) {
    build.report.warning_at_key(code::kNoEffect, *per,
                                "\"per\" has no effect: " + in_quotes(policy->name) + " does not ask who is calling",
                                R"(remove it, or write "policy": "consistent_hash")");
    return;
  }
  const auto& key = out.balance_per = build_key(build, per, KeyFor::balancing);
  const auto everybody = [](const Per& part) { return part.source->counts == gateway::Counts::everybody; };
  if (!key.empty() && std::all_of(key.begin(), key.end(), everybody))
    build.report.warning(code::kNoEffect, *per,
                         "this is the same for all requests, so one server gets as many as it can take",
                         R"(tell them apart, as with "per": "client_ip")");
}

bool has(const gateway::RouteOptions& route, const Per& per) {
  switch (per.source->needs) {
    case Needs::token:
      return route.require == gateway::Require::jwt;
    case Needs::api_key:
      return route.require == gateway::Require::api_key;
    case Needs::certificate:
      return route.require == gateway::Require::mtls;
    case Needs::user:
      return route.basic != nullptr;
    case Needs::service:
      return route.auth != nullptr;
    case Needs::path_parameter:
      return route.path.find('{' + per.name + '}') != std::string::npos;
    case Needs::nothing:
    case Needs::field:  // a caller may leave these out, which is no mistake here
    case Needs::cookie:
    case Needs::part:
    case Needs::descriptor:
    case Needs::body:  // refused at its place
      break;
  }
  return true;
}

/// Returns the node at which "balance" names `per`; `upstream` if there is none.
const Node& node_of(const Node& upstream, const Per& per) {
  for (const Node* each : texts(find(find(&upstream, "balance"), "per")))
    if (const auto parsed = parse_per(each->text); parsed.has_value() && *parsed == per) return *each;
  return upstream;
}

std::string lacks(const Per& per) {
  if (per.source->needs == Needs::path_parameter) return " has no {" + per.name + "} in its path";
  if (per.source->needs == Needs::certificate) return " does not require a client certificate";
  if (per.source->needs == Needs::user) return " asks for no password";
  if (per.source->needs == Needs::service) return " asks no auth service";
  return per.source->needs == Needs::token ? " does not require a JWT" : " does not require an API key";
}

std::string require(const Per& per) {
  if (per.source->needs == Needs::path_parameter) return "name it in the path, or use another \"per\"";
  if (per.source->needs == Needs::user) return R"(add "basic": "users.htpasswd" to the route)";
  if (per.source->needs == Needs::service) return R"(add "auth": "http://auth/check" to the route)";
  const char* const word = per.source->needs == Needs::token     ? "jwt"
                           : per.source->needs == Needs::api_key ? "api_key"
                                                                 : "mtls";
  return R"(add "require": )" + in_quotes(word) + R"( to the route, or use another "per")";
}

}  // namespace

std::vector<std::string_view> policy_names() {
  std::vector<std::string_view> out;
  for (const auto* const each : balance::policies()) out.push_back(each->name);
  return out;
}

void build_balance(Build& build) {
  for (std::size_t i = 0; i < build.upstream_nodes.size(); ++i)
    if (const Node* written = find(build.upstream_nodes[i], "balance"))
      build_policy(build, *written, build.config.upstreams[i]);
}

void check_balance(Build& build) {
  for (std::size_t i = 0; i < build.config.upstreams.size(); ++i) {
    const auto& upstream = build.config.upstreams[i];
    for (const auto& per : upstream.balance_per) {
      const auto& routes = build.config.gateway.routes;
      const auto lacking = std::find_if(routes.begin(), routes.end(), [&](const auto& route) {
        return !route.respond && goes_to(route, upstream.name) && !has(route, per);
      });
      if (lacking == routes.end()) continue;
      build.report.warning(code::kNoEffect, node_of(*build.upstream_nodes[i], per),
                           route_text(*lacking) + lacks(per) +
                               ": its requests without it go to the server with the fewest requests in flight",
                           require(per));
    }
  }
}

namespace {

bool is_plain(const upstream::ServerGroupOptions& upstream) {
  const auto plain = [](const upstream::ServerOptions& server) { return server.weight == 1 && !server.backup; };
  return upstream.balance == &balance::default_policy() && upstream.slow_start == Duration(0) &&
         std::all_of(upstream.servers.begin(), upstream.servers.end(), plain);
}

std::string key_in_words(const gateway::UpstreamOptions& upstream) {
  std::vector<std::string> parts;
  for (const auto& per : upstream.balance_per) parts.push_back(gateway::to_text(per));
  return parts.empty() ? "" : ", " + joined(parts, " and ");
}

std::string of_upstream_servers(const gateway::UpstreamOptions& upstream) {
  std::vector<std::string> weights;
  std::vector<std::string> backups;
  bool equal = true;
  for (const auto& server : upstream.servers) {
    equal = equal && server.weight == upstream.servers.front().weight;
    weights.push_back(server.text + ' ' + std::to_string(server.weight));
    if (server.backup) backups.push_back(server.text);
  }
  std::string out = "\nRequests to upstream " + upstream.name + " go to its servers " +
                    std::string(upstream.balance->meaning) + key_in_words(upstream) + '\n';
  if (!equal) out += "  their weights: " + joined(weights, ", ") + '\n';
  if (!backups.empty()) out += "  only while no other may be chosen: " + joined(backups, ", ") + '\n';
  if (upstream.balance->keyed)
    out += "  a server with more than 5/4 of its share of the requests in flight is passed over\n";
  if (upstream.slow_start > Duration(0))
    out += "  a server that comes back gets a tenth of its share at first, and all of it after " +
           to_text(upstream.slow_start) + '\n';
  return out;
}

}  // namespace

std::string balance_in_words(const Config& config) {
  std::string out;
  for (const auto& each : config.upstreams)
    if (!is_plain(each)) out += of_upstream_servers(each);
  return out;
}

}  // namespace headgate::config
