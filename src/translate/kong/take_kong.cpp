// Kong's declarative configuration: services with their routes, upstreams, consumers, plugins.

#include "translate/draft/json.hpp"
#include "translate/kong/work.hpp"
#include "translate/products.hpp"
#include "translate/reading/numbers.hpp"

#include "headgate/core/text.hpp"

#include <set>

namespace headgate::translate {
namespace {

struct Service {
  std::string upstream;  ///< ours
  std::string path;      ///< before the path of each request
  KongPlugins plugins;
  std::string timeout;
};

void take_targets(KongWork& work, const TreeNode& document) {
  for (const auto* each : document["upstreams"].each()) {
    auto& upstream = work.draft.upstreams.emplace_back();
    upstream.name = free_name(each->get("name"), work.draft.upstream_names);
    upstream.spot = each->spot;
    upstream.from = "upstream " + each->get("name");
    std::vector<std::string> servers;
    for (const auto* target : (*each)["targets"].each()) {
      auto address = target->get("target", target->is_text() ? target->text : std::string());
      if (address.find(':') == std::string::npos) address += ":8000";  // Kong's default
      const auto weight = target->get("weight", "100");
      if (weight == "0") continue;
      const auto url = json_text("http://" + address);
      servers.push_back(weight == "100" || !whole_number(weight) ? url : object_of({{"url", url}, {"weight", weight}}));
    }
    upstream.set("servers", list_of(servers));
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
            "headgate leaves out servers that fail by itself: \"eject\"");
    }
    work.targets[each->get("name")] = upstream.name;
  }
}

std::string time_of(const TreeNode& node, std::string_view key, std::uint64_t otherwise) {
  const auto time = number_in(node.get(key));
  return milliseconds(time == kNoNumber || time == 0 ? otherwise : time);
}

/// "http://host:80/path" in its parts, or those that are written one by one.
Service service_of(KongWork& work, const TreeNode& node) {
  Service out;
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
  if (const auto tries = whole_number(node.get("retries")); tries && node.has("retries") && *tries < 10)
    upstream.set("retry", object_of({{"attempts", std::to_string(*tries + 1)}, {"on", R"(["connect_error"])"}}));
  return out;
}

void add_plugins(KongWork& work, const TreeNode& node, KongPlugins& plugins) {
  for (const auto* plugin : node["plugins"].each()) {
    plugins[plugin->get("name")] = plugin;
    work.owners[plugin] = node.get("name");
  }
}

std::string path_for(const std::string& path) { return path.ends_with('/') ? path + "*" : path + "/*"; }

void take_route(KongWork& work, const TreeNode& node, const Service& service, KongPlugins plugins) {
  DraftEntry route;
  route.spot = node.spot;
  route.from = "route " + node.get("name");
  add_plugins(work, node, plugins);
  if (service.upstream.empty()) {
    say(route, Matter::lost, node.spot, route.from, "its service was not translated");
    route.off = true;
  }
  const bool strips = is_true(node.get("strip_path", "true"));
  auto hosts = node["hosts"].texts();
  auto paths = node["paths"].texts();
  if (hosts.empty()) hosts.emplace_back();
  const bool any_path = paths.empty();
  if (any_path) paths.emplace_back("/");
  if (const auto protocols = node["protocols"].texts(); protocols == std::vector<std::string>{"https"})
    route.set("redirect_to_https", "true");
  for (const auto* other : {"snis", "sources", "destinations"})
    if (node.has(other))
      say(route, Matter::lost, node[other].spot, other, "headgate chooses routes by host, path, method and fields");
  bool first = true;
  for (const auto& host : hosts)
    for (const auto& path : paths) {
      DraftEntry copy = route;
      if (!first) copy.remarks.clear();
      if (path.starts_with('~')) {
        copy.off = true;
        say(copy, Matter::lost, node.spot, path,
            "headgate has no regular expressions in paths; it has parameters, as in \"/users/{id}\"");
        put_route(work.draft, std::move(copy));
        first = false;
        continue;
      }
      // Names of routes are of one route each.
      if (hosts.size() * paths.size() == 1 && node.has("name")) copy.set("name", json_text(node.get("name")));
      if (!host.empty()) copy.set("host", json_text(lower(host)));
      copy.set("path", json_text(path_for(path)));
      if (const auto methods = node["methods"].texts(); !methods.empty()) copy.set("methods", texts_of(methods));
      std::vector<std::pair<std::string, std::string>> headers;
      for (const auto& [name, values] : node["headers"].members)
        headers.emplace_back(name, text_or_list(values.texts()));
      if (!headers.empty()) copy.set("headers", object_of(headers));
      copy.set("to", json_text(service.upstream));
      std::vector<std::pair<std::string, std::string>> rewrite;
      auto prefix = path;
      while (prefix.ends_with('/')) prefix.pop_back();
      if (strips && !prefix.empty()) rewrite.emplace_back("strip_prefix", json_text(prefix));
      auto before = service.path;
      while (before.ends_with('/')) before.pop_back();
      if (!before.empty()) rewrite.emplace_back("add_prefix", json_text(before));
      if (!rewrite.empty()) copy.set("rewrite", object_of(rewrite));
      if (!is_true(node.get("preserve_host"))) copy.set("host_header", json_text("server"));
      copy.set("timeout", service.timeout);
      if (!prefix.empty() && !path.ends_with('/') && first)
        say(copy, Matter::differs, node.spot, path,
            std::string("headgate compares whole segments: ")
                    .append(path)
                    .append(" and what is below, not ")
                    .append(path) +
                "x");
      if (!copy.off) apply_plugins(work, plugins, copy);
      put_route(work.draft, std::move(copy));
      first = false;
    }
}

std::string reference(const TreeNode& node, std::string_view key) { return node.get(key, node[key].get("name")); }

void take_document(KongWork& work, const TreeNode& document) {
  take_consumers(work, document);
  take_targets(work, document);
  KongPlugins everywhere;
  std::multimap<std::string, const TreeNode*> of_services;
  std::multimap<std::string, const TreeNode*> of_routes;
  for (const auto* plugin : document["plugins"].each()) {
    if (plugin->has("consumer")) continue;
    say_of_plugin(work.draft, *plugin);
    work.owners[plugin] = reference(*plugin, plugin->has("service") ? "service" : "route");
    if (const auto service = reference(*plugin, "service"); !service.empty())
      of_services.emplace(service, plugin);
    else if (const auto route = reference(*plugin, "route"); !route.empty())
      of_routes.emplace(route, plugin);
    else
      everywhere[plugin->get("name")] = plugin;
  }
  std::map<std::string, Service> services;
  const auto take = [&](const TreeNode& route, const Service& service) {
    auto plugins = service.plugins;
    for (auto [at, end] = of_routes.equal_range(route.get("name")); at != end; ++at)
      plugins[at->second->get("name")] = at->second;
    for (const auto* plugin : route["plugins"].each()) say_of_plugin(work.draft, *plugin);
    take_route(work, route, service, std::move(plugins));
  };
  for (const auto* node : document["services"].each()) {
    auto service = service_of(work, *node);
    service.plugins = everywhere;
    for (auto [at, end] = of_services.equal_range(node->get("name")); at != end; ++at)
      service.plugins[at->second->get("name")] = at->second;
    for (const auto* plugin : (*node)["plugins"].each()) say_of_plugin(work.draft, *plugin);
    add_plugins(work, *node, service.plugins);
    for (const auto* route : (*node)["routes"].each()) take(*route, service);
    services[node->get("name")] = std::move(service);
  }
  for (const auto* route : document["routes"].each()) {
    const auto found = services.find(reference(*route, "service"));
    take(*route, found == services.end() ? Service{} : found->second);
  }
  if (document["services"].each().empty() && document["routes"].each().empty())
    for (const auto& [name, plugin] : everywhere)
      if (name == "rate-limiting") {
        DraftEntry none;
        apply_plugins(work, {{name, plugin}}, none);
      }
  static const std::set<std::string, std::less<>> kKnown = {
      "_format_version", "_transform", "_comment",  "_info",   "_workspace",         "services",
      "routes",          "upstreams",  "consumers", "plugins", "keyauth_credentials"};
  for (const auto& [key, value] : document.members)
    if (!kKnown.contains(key)) work.draft.say(Matter::lost, value.spot, key, "headgate import does not know it");
}

}  // namespace

void take_kong(const std::vector<ReadFile>& inputs, Draft& draft) {
  std::size_t count = 0;
  std::vector<TreeNode> all;
  for (const auto& input : inputs)
    for (auto& document : read_yaml(input.text, input.name, count)) all.push_back(std::move(document));
  KongWork work{draft};
  draft.listeners.emplace_back().set("address", json_text(":8000"));
  draft.listeners.back().comments.emplace_back("Kong's own port; proxy_listen of kong.conf may say another.");
  for (const auto& document : all) take_document(work, document);
}

}  // namespace headgate::translate
