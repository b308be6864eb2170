// Routers and the services that they lead to.

#include "translate/draft/json.hpp"
#include "translate/reading/numbers.hpp"
#include "translate/traefik/work.hpp"

#include "headgate/core/text.hpp"

namespace headgate::translate {
namespace {

std::string plain_name(const std::string& name) { return name.substr(0, name.find('@')); }

/// An upstream of a load balancer.
std::string load_balancer(TraefikWork& work, const std::string& name, const TreeNode& balancer) {
  DraftEntry upstream;
  upstream.spot = balancer.spot;
  upstream.from = "service " + name;
  std::vector<std::string> servers;
  for (const auto* server : member_of(balancer, "servers").each()) {
    auto url = text_in(*server, "url");
    const auto scheme = url.find("://");
    const auto slash = scheme == std::string::npos ? std::string::npos : url.find('/', scheme + 3);
    if (slash != std::string::npos) {
      if (url.size() > slash + 1)
        say(upstream, Matter::lost, server->spot, url,
            "a server is an address; write its path in \"rewrite\": { \"add_prefix\" }");
      url.erase(slash);
    }
    const auto weight = text_in(*server, "weight");
    servers.push_back(whole_number(weight) && weight != "1" ? object_of({{"url", json_text(url)}, {"weight", weight}})
                                                            : json_text(url));
  }
  if (text_in(balancer, "passHostHeader", "true") == "false") work.own_hosts.insert(plain_name(name));
  if (servers.empty()) {
    work.draft.say(Matter::lost, balancer.spot, upstream.from, "it has no servers");
    return {};
  }
  upstream.set("servers", list_of(servers));
  if (const auto& check = member_of(balancer, "healthCheck")) {
    std::vector<std::pair<std::string, std::string>> members;
    if (const auto path = text_in(check, "path"); !path.empty()) members.emplace_back("path", json_text(path));
    const auto time = [&](const char* from, const char* to) {
      auto text = text_in(check, from);
      if (!text.empty()) members.emplace_back(to, json_text(whole_number(text) ? text + "s" : text));
    };
    time("interval", "every");
    time("timeout", "timeout");
    upstream.set("health", object_of(members));
  }
  if (member_of(balancer, "sticky"))
    say(upstream, Matter::lost, member_of(balancer, "sticky").spot, "sticky",
        "headgate sets no cookie to find a server again; see \"consistent_hash\" in \"balance\"");
  if (!text_in(balancer, "serversTransport").empty())
    say(upstream, Matter::lost, balancer.spot, "serversTransport", "write \"tls\" in the upstream");
  upstream.name = free_name(plain_name(name), work.draft.upstream_names);
  auto json = json_text(upstream.name);
  work.draft.upstreams.push_back(std::move(upstream));
  return json;
}

/// JSON of "to"; empty: it cannot be translated, which is said.
std::string target_of(TraefikWork& work, const std::string& written, const Spot& spot, int depth = 0) {
  const auto name = plain_name(written);
  if (const auto known = work.upstreams.find(name); known != work.upstreams.end()) return known->second;
  const auto found = work.services.find(name);
  if (found == work.services.end()) {
    work.draft.say(Matter::lost, spot, "service " + written, "no file that was read has it");
    return {};
  }
  constexpr int kDeepestService = 16;
  if (depth > kDeepestService) return {};
  work.upstreams[name] = {};  // a service that leads to itself leads nowhere
  const auto& service = *found->second;
  if (const auto& balancer = member_of(service, "loadBalancer")) {
    auto to = load_balancer(work, name, balancer);
    return work.upstreams[name] = std::move(to);
  }
  if (const auto& weighted = member_of(service, "weighted")) {
    std::vector<std::string> parts;
    for (const auto* part : member_of(weighted, "services").each()) {
      const auto to = target_of(work, text_in(*part, "name"), part->spot, depth + 1);
      if (to.empty() || to.starts_with('[')) continue;
      parts.push_back(object_of({{"upstream", to}, {"weight", text_in(*part, "weight", "1")}}));
    }
    if (!parts.empty()) return work.upstreams[name] = list_of(parts);
  }
  work.draft.say(Matter::lost, service.spot, "service " + name, "it is neither a load balancer nor weighted");
  return {};
}

void set_match(DraftEntry& route, const TraefikMatch& match) {
  if (!match.host.empty()) route.set("host", json_text(match.host));
  route.set("path", json_text(match.path));
  if (!match.methods.empty()) route.set("methods", texts_of(match.methods));
  if (!match.headers.empty()) route.set("headers", object_of(match.headers));
  if (!match.query.empty()) route.set("query", object_of(match.query));
}

/// Labels have "a,b" where files have lists.
std::vector<std::string> names_in(const TreeNode& node) {
  std::vector<std::string> out;
  for (const auto& text : node.texts())
    for (std::string_view rest = text; !rest.empty();) {
      const auto part = rest.substr(0, rest.find(','));
      rest.remove_prefix(std::min(rest.size(), part.size() + 1));
      if (const auto each = trimmed(part); !each.empty()) out.emplace_back(each);
    }
  return out;
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
  std::string why;
  const auto matches = matches_of(rule, why);
  if (!matches) {
    route.off = true;
    say(route, Matter::lost, router.spot, rule, why);
    put_route(work.draft, std::move(route));
    return;
  }
  auto service = text_in(router, "service");
  if (service.empty() && http["services"].members.size() == 1)
    service = http["services"].members.front().key;  // of labels
  const auto to = target_of(work, service, router.spot);
  if (const auto priority = text_in(router, "priority"); !priority.empty())
    say(route, Matter::differs, router.spot, "priority: " + priority, "headgate takes the most specific route");
  bool first = true;
  for (const auto& match : *matches) {
    auto copy = route;
    if (!first) copy.remarks.clear();
    first = false;
    if (matches->size() == 1 && !name.empty()) copy.set("name", json_text(name));
    set_match(copy, match);
    copy.set(to.empty() ? "respond" : "to", to.empty() ? R"({ "status": 503 })" : to);
    if (work.own_hosts.contains(plain_name(service))) copy.set("host_header", json_text("server"));
    if (match.path.ends_with("/*") && match.path.size() > 2 && work.said.insert(match.path).second)
      say(copy, Matter::differs, router.spot, "PathPrefix",
          "headgate compares whole segments: " + match.path.substr(0, match.path.size() - 2) + " and what is below it");
    work.applied = 0;
    for (const auto& middleware : names_in(member_of(router, "middlewares"))) apply_middleware(work, middleware, copy);
    put_route(work.draft, std::move(copy));
  }
}

}  // namespace headgate::translate
