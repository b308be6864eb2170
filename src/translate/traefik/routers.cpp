// Translates routers and their services.

#include "translate/draft/json.hpp"
#include "translate/draft/protect.hpp"
#include "translate/draft/weights.hpp"
#include "translate/reading/numbers.hpp"
#include "translate/traefik/work.hpp"

#include "headgate/core/text.hpp"

#include <algorithm>

namespace headgate::translate {
namespace {

std::string plain_name(const std::string& name) { return name.substr(0, name.find('@')); }

/// Returns the upstream of a load balancer.
std::string load_balancer(TraefikWork& work, const std::string& name, const TreeNode& balancer) {
  DraftEntry upstream;
  upstream.spot = balancer.spot;
  upstream.from = "service " + name;
  std::vector<WeightedServer> servers;
  for (const auto* server : member_of(balancer, "servers").each()) {
    auto url = text_in(*server, "url");
    const auto scheme = url.find("://");
    const auto slash = scheme == std::string::npos ? std::string::npos : url.find('/', scheme + 3);
    if (slash != std::string::npos) {
      if (url.size() > slash + 1) say(upstream, Matter::aside, server->spot, url, "Traefik also ignores a path here");
      url.erase(slash);
    }
    servers.push_back({url, whole_count(text_in(*server, "weight")).value_or(1)});
  }
  if (text_in(balancer, "passHostHeader", "true") == "false") work.own_hosts.insert(plain_name(name));
  if (servers.empty()) {
    work.draft.say(Matter::lost, balancer.spot, upstream.from, "it has no servers");
    return {};
  }
  upstream.set("servers", servers_json(servers));
  if (const auto& check = member_of(balancer, "healthCheck")) {
    std::vector<std::pair<std::string, std::string>> members;
    if (const auto path = text_in(check, "path"); !path.empty()) members.emplace_back("path", json_text(path));
    const auto time = [&](const char* from, const char* to) {
      auto text = text_in(check, from);
      if (!text.empty()) members.emplace_back(to, json_text(whole_count(text) ? text + "s" : text));
    };
    time("interval", "every");
    time("timeout", "timeout");
    upstream.set("health", object_of(members));
  }
  if (member_of(balancer, "sticky"))
    say(upstream, Matter::lost, member_of(balancer, "sticky").spot, "sticky",
        "headgate sets no cookie that leads back to a server; see \"consistent_hash\" in \"balance\"");
  if (!text_in(balancer, "serversTransport").empty())
    say(upstream, Matter::lost, balancer.spot, "serversTransport", "write \"tls\" in the upstream");
  upstream.name = free_name(plain_name(name), work.draft.upstream_names);
  auto json = json_text(upstream.name);
  work.draft.upstreams.push_back(std::move(upstream));
  return json;
}

std::string target_of(TraefikWork& work, const std::string& written, const Spot& spot, int depth = 0);

/// Returns the services of a weighted service with the same proportions.
std::string weighted_parts(TraefikWork& work, const TreeNode& weighted, int depth) {
  std::vector<std::string> upstreams;
  std::vector<std::uint64_t> weights;
  for (const auto* part : member_of(weighted, "services").each()) {
    const auto name = text_in(*part, "name");
    const auto to = target_of(work, name, part->spot, depth + 1);
    const auto weight = whole_count(text_in(*part, "weight", "1")).value_or(1);
    if (to.starts_with('['))
      work.draft.say(Matter::lost, part->spot, "service " + name, "it is weighted itself: name its services in \"to\"");
    if (to.empty() || to.starts_with('[') || weight == 0) continue;
    const auto known = std::ranges::find(upstreams, to);
    if (known != upstreams.end()) {
      weights[static_cast<std::size_t>(known - upstreams.begin())] += weight;
      continue;
    }
    upstreams.push_back(to);
    weights.push_back(weight);
  }
  constexpr std::uint64_t kMaxWeightOfSplit = 1'000'000;
  const auto shares = proportions(weights, kMaxWeightOfSplit);
  std::vector<std::string> parts;
  parts.reserve(upstreams.size());
  for (std::size_t i = 0; i < upstreams.size(); ++i)
    parts.push_back(object_of({{"upstream", upstreams[i]}, {"weight", std::to_string(shares[i])}}));
  if (parts.size() == 1) return upstreams.front();
  return parts.empty() ? std::string() : list_of(parts);
}

/// Returns the JSON of "to". Returns an empty text, with a remark, if the service cannot be translated.
std::string target_of(TraefikWork& work, const std::string& written, const Spot& spot, int depth) {
  const auto name = plain_name(written);
  if (const auto known = work.upstreams.find(name); known != work.upstreams.end()) return known->second;
  const auto found = work.services.find(name);
  if (found == work.services.end()) {
    work.draft.say(Matter::lost, spot, "service " + written, "none of the files defines it");
    return {};
  }
  constexpr int kDeepestService = 16;
  if (depth > kDeepestService) return {};
  work.upstreams[name] = {};  // a service that refers to itself has no destination
  const auto& service = *found->second;
  if (const auto& balancer = member_of(service, "loadBalancer")) {
    auto to = load_balancer(work, name, balancer);
    return work.upstreams[name] = std::move(to);
  }
  if (const auto& weighted = member_of(service, "weighted")) {
    auto parts = weighted_parts(work, weighted, depth);
    if (!parts.empty()) return work.upstreams[name] = std::move(parts);
  }
  for (const auto* kind : {"mirroring", "failover"})
    if (const auto& other = member_of(service, kind)) {
      work.draft.say(Matter::lost, other.spot, kind,
                     kind == std::string_view("mirroring") ? "write \"mirror\" in the routes"
                                                           : "write the servers of the other with \"backup\"");
      auto to = target_of(work, text_in(other, "service"), other.spot, depth + 1);
      return work.upstreams[name] = std::move(to);
    }
  work.draft.say(Matter::lost, service.spot, "service " + name, "it is neither a load balancer nor weighted");
  return {};
}

void set_match(DraftEntry& route, const TraefikMatch& match) {
  if (!match.host.empty()) route.set("host", json_text(match.host));
  route.set("path", json_text(match.path));
  if (!match.path_matches.empty()) route.set("path_matches", json_text(match.path_matches));
  if (!match.methods.empty()) route.set("methods", texts_of(match.methods));
  if (!match.client_ip.empty()) route.set("client_ip", text_or_list(match.client_ip));
  if (!match.headers.empty()) route.set("headers", object_of(match.headers));
  if (!match.query.empty()) route.set("query", object_of(match.query));
  route.text_prefix = match.text_prefix;
}

/// Returns the precedence of a router. Traefik checks routers with longer rules first, unless a priority is set.
std::uint64_t precedence_of(const TreeNode& router, const std::string& rule, DraftEntry& route) {
  const auto written = text_in(router, "priority");
  if (written.empty() || written == "0") return rule.size();
  say(route, Matter::differs, router.spot, "priority: " + written, "headgate takes the most specific route");
  return whole_count(written).value_or(written.starts_with('-') ? 0 : rule.size());
}

}  // namespace

const TreeNode& member_of(const TreeNode& map, std::string_view key) noexcept {
  static const TreeNode kNone;
  for (const auto& [name, value] : map.members)
    if (same_word(name, key)) return value;
  return kNone;
}

std::string text_in(const TreeNode& map, std::string_view key, std::string_view otherwise) {
  const auto& found = member_of(map, key);
  return std::string(found.is_text() ? std::string_view(found.text) : otherwise);
}

void take_router(TraefikWork& work, const std::string& name, const TreeNode& router, const TreeNode& http) {
  DraftEntry route;
  route.spot = router.spot;
  route.from = "router " + name;
  const auto rule = text_in(router, "rule");
  route.comments.push_back("router " + name + ": " + rule);
  if (rule.empty()) {
    route.off = true;
    say(route, Matter::lost, router.spot, route.from, "it has no rule");
    return put_route(work.draft, std::move(route));
  }
  const auto matches = matches_of(rule);
  auto service = text_in(router, "service");
  if (service.empty() && http["services"].members.size() == 1)
    service = http["services"].members.front().key;  // Labels have the name in lower case.
  const auto to = target_of(work, service, router.spot);
  route.precedence = precedence_of(router, rule, route);
  bool first = true;
  for (const auto& match : matches) {
    auto copy = route;
    if (!first) copy.remarks.clear();
    first = false;
    if (matches.size() == 1 && !name.empty()) copy.set("name", json_text(name));
    set_match(copy, match);
    if (!match.closed.empty()) close_route(copy, match.closed, router.spot, rule, match.why);
    if (to.empty()) close_route(copy, "its service", router.spot, "service " + service, "it was not translated");
    copy.set("to", to);
    if (work.own_hosts.contains(plain_name(service))) copy.set("host_header", json_text("server"));
    if (!match.text_prefix.empty() && work.said.insert(match.path).second)
      say(copy, Matter::differs, router.spot, "PathPrefix",
          "headgate compares whole segments: " + match.path.substr(0, match.path.size() - 2) + " and what is below it");
    work.applied = 0;
    for (const auto& middleware : middlewares_of(work, router)) apply_middleware(work, middleware, copy);
    guard_router(work, router, copy);
    if (match.hole) {
      copy.precedence = 0;
      work.holes.push_back(std::move(copy));
    } else {
      put_route(work.draft, std::move(copy));
    }
  }
}

}  // namespace headgate::translate
