// Translates Kong's declarative configuration: services and their routes, upstreams, consumers, plugins.

#include "translate/draft/json.hpp"
#include "translate/draft/weights.hpp"
#include "translate/kong/work.hpp"
#include "translate/products.hpp"
#include "translate/reading/numbers.hpp"

#include "headgate/core/text.hpp"

#include <algorithm>
#include <iterator>
#include <set>

namespace headgate::translate {
namespace {

void take_targets(KongWork& work, const TreeNode& document) {
  for (const auto* each : document["upstreams"].each()) {
    auto& upstream = work.draft.upstreams.emplace_back();
    upstream.name = free_name(each->get("name"), work.draft.upstream_names);
    upstream.spot = each->spot;
    upstream.from = "upstream " + each->get("name");
    std::vector<WeightedServer> servers;
    for (const auto* target : (*each)["targets"].each()) {
      auto address = target->get("target", target->is_text() ? target->text : std::string());
      if (address.find(':') == std::string::npos) address += ":8000";  // Kong's default
      servers.push_back({"http://" + address, whole_count(target->get("weight", "100")).value_or(100)});
    }
    upstream.set("servers", servers_json(servers));
    const auto algorithm = each->get("algorithm", "round-robin");
    if (algorithm == "least-connections") upstream.set("balance", json_text("least_in_flight"));
    if (algorithm == "consistent-hashing")
      upstream.set(
          "balance",
          object_of({{"policy", json_text("consistent_hash")},
                     {"per", json_text(each->get("hash_on") == "header" ? "header:" + each->get("hash_on_header")
                                                                        : "client_ip")}}));
    if (algorithm == "latency") upstream.set("balance", json_text("prequal"));
    if (each->has("healthchecks")) {
      const auto path = (*each)["healthchecks"]["active"].get("http_path", "/");
      if ((*each)["healthchecks"].has("active")) upstream.set("health", object_of({{"path", json_text(path)}}));
      if ((*each)["healthchecks"].has("passive"))
        say(upstream, Matter::aside, (*each)["healthchecks"]["passive"].spot, "passive",
            "headgate ejects failing servers automatically: \"eject\"");
    }
    work.targets[each->get("name")] = upstream.name;
  }
}

std::string time_of(const TreeNode& node, std::string_view key, std::uint64_t otherwise) {
  const auto time = number_in(node.get(key));
  return milliseconds(time == kNoNumber || time == 0 ? otherwise : time);
}

/// Splits "http://host:80/path", or reads the parts if they are separate.
KongService service_of(KongWork& work, const TreeNode& node) {
  KongService out;
  out.enabled = is_enabled(node);
  auto protocol = node.get("protocol", "http");
  auto host = node.get("host");
  auto port = node.get("port");
  out.path = node.get("path");
  if (auto url = node.get("url"); !url.empty()) {
    const auto scheme = url.find("://");
    if (scheme != std::string::npos) {
      protocol = url.substr(0, scheme);
      url.erase(0, scheme + 3);
    }
    const auto slash = url.find('/');
    host = url.substr(0, slash);
    if (slash != std::string::npos) out.path = url.substr(slash);
    port.clear();
    if (const auto colon = host.rfind(':'); colon != std::string::npos && host.back() != ']') {
      port = host.substr(colon + 1);
      host.erase(colon);
    }
  }
  const auto name = node.get("name", host);
  if (protocol != "http" && protocol != "https") {
    work.draft.say(Matter::lost, node.spot, "service " + name, "headgate speaks HTTP to servers, and not " + protocol);
    return out;
  }
  if (host.empty()) {
    work.draft.say(Matter::lost, node.spot, "service " + name, "it has neither \"url\" nor \"host\"");
    return out;
  }
  out.timeout = time_of(node, "read_timeout", 60'000);
  if (const auto target = work.targets.find(host); target != work.targets.end()) {
    out.upstream = target->second;
    if (protocol == "https")
      work.draft.say(Matter::lost, node.spot, "service " + name, "write https:// in the servers of its upstream");
    return out;
  }
  auto& upstream = work.draft.upstreams.emplace_back();
  out.upstream = upstream.name = free_name(name, work.draft.upstream_names);
  upstream.spot = node.spot;
  upstream.from = "service " + name;
  if (port.empty()) port = protocol == "https" ? "443" : "80";
  upstream.set("servers", list_of({json_text(protocol + "://" + host + ':' + port)}));
  if (node.has("connect_timeout")) upstream.set("connect_timeout", time_of(node, "connect_timeout", 60'000));
  if (const auto tries = whole_count(node.get("retries")); tries && node.has("retries") && *tries < 10)
    upstream.set("retry", object_of({{"attempts", std::to_string(*tries + 1)}, {"on", R"(["connect_error"])"}}));
  return out;
}

void take_document(KongWork& work, const TreeNode& document) {
  take_consumers(work, document);
  take_targets(work, document);
  const KongNodes nodes(document);
  const KongScopes scopes(work, document, nodes);
  std::map<const TreeNode*, KongService> services;
  for (const auto* node : document["services"].each()) {
    auto& service = services[node] = service_of(work, *node);
    for (const auto* route : (*node)["routes"].each()) take_kong_route(work, *route, service, scopes.of(*node, *route));
  }
  static const TreeNode kNone;
  static const KongService kNoService;
  for (const auto* route : document["routes"].each()) {
    const auto* node = nodes.service(reference(*route, "service"));
    const auto found = services.find(node);
    take_kong_route(work, *route, found == services.end() ? kNoService : found->second,
                    scopes.of(node == nullptr ? kNone : *node, *route));
  }
  if (document["services"].each().empty() && document["routes"].each().empty())
    for (const auto& [name, plugin] : scopes.everywhere())
      if (name == "rate-limiting") {
        DraftEntry none;
        apply_plugins(work, {{name, plugin}}, none);
      }
  static const std::set<std::string, std::less<>> kKnown = {"_format_version",
                                                            "_transform",
                                                            "_comment",
                                                            "_info",
                                                            "_workspace",
                                                            "services",
                                                            "routes",
                                                            "upstreams",
                                                            "consumers",
                                                            "plugins",
                                                            "keyauth_credentials",
                                                            "jwt_secrets",
                                                            "acls",
                                                            "consumer_groups",
                                                            "basicauth_credentials",
                                                            "hmacauth_credentials",
                                                            "oauth2_credentials",
                                                            "mtls_auth_credentials"};
  for (const auto& [key, value] : document.members)
    if (!kKnown.contains(key)) work.draft.say(Matter::lost, value.spot, key, "headgate import does not know it");
}

void join_member(TreeNode& whole, const std::string& key, TreeNode value) {
  const auto there = std::ranges::find_if(whole.members, [&](const auto& each) { return each.key == key; });
  if (there == whole.members.end())
    whole.members.push_back({key, std::move(value)});
  else if (there->value.kind == TreeNode::Kind::list && value.kind == TreeNode::Kind::list)
    std::ranges::move(value.items, std::back_inserter(there->value.items));
}

}  // namespace

void take_kong(const std::vector<ReadFile>& inputs, Draft& draft) {
  std::size_t count = 0;
  std::vector<TreeNode> all;
  for (const auto& input : inputs)
    for (auto& document : read_yaml(input.text, input.name, count)) all.push_back(std::move(document));
  // All files and documents are joined, because they refer to each other: a plugin in one file may apply to a service
  // in another.
  TreeNode whole;
  whole.kind = TreeNode::Kind::map;
  for (auto& document : all)
    for (auto& [key, value] : document.members) join_member(whole, key, std::move(value));
  KongWork work{draft};
  draft.listeners.emplace_back().set("address", json_text(":8000"));
  draft.listeners.back().comments.emplace_back("Kong's default port; proxy_listen of kong.conf may set another.");
  take_document(work, whole);
}

}  // namespace headgate::translate
