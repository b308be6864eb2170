// Translates Traefik's dynamic configuration, and container labels with the same content.

#include "translate/draft/json.hpp"
#include "translate/products.hpp"
#include "translate/traefik/work.hpp"
#include "translate/unreadable.hpp"

#include "headgate/core/text.hpp"

#include <algorithm>
#include <sstream>

namespace headgate::translate {
namespace {

/// Adds a key such as "http.routers.api.rule" to a tree of maps.
void put_parts(TreeNode& root, std::string_view key, const std::string& value, const Spot& spot) {
  auto* at = &root;
  at->kind = TreeNode::Kind::map;
  constexpr int kDeepestLabel = 16;
  for (int depth = 0; !key.empty() && depth < kDeepestLabel; ++depth) {
    const auto part = key.substr(0, key.find('.'));
    key.remove_prefix(std::min(key.size(), part.size() + 1));
    if (at->kind != TreeNode::Kind::map) {
      at->kind = TreeNode::Kind::map;
      at->spot = spot;
    }
    auto found = std::ranges::find_if(at->members, [&](const auto& each) { return same_word(each.key, part); });
    if (found == at->members.end()) {
      at->members.push_back({std::string(part), {}});
      found = at->members.end() - 1;
    }
    at = &found->value;
    if (!at->spot.line) at->spot = spot;
  }
  at->kind = TreeNode::Kind::text;
  at->text = value;
}

/// Adds a label to the tree. Labels have no indices of lists; the elements of a list are separated by commas.
void put_label(TreeNode& root, std::string_view key, const std::string& value, const Spot& spot) {
  constexpr std::string_view kHttp = "traefik.http.";
  if (lower(key).starts_with(kHttp)) put_parts(root, key.substr(std::string_view("traefik.").size()), value, spot);
}

/// Reads labels as a list of "key=value" or as a map.
void take_labels(const TreeNode& labels, TreeNode& root) {
  constexpr std::size_t kMaxLabels = 1000;
  if (labels.items.size() + labels.members.size() > kMaxLabels)
    throw Unreadable(labels.spot, "a container has more than " + std::to_string(kMaxLabels) + " labels");
  for (const auto* item : labels.each())
    if (item->is_text())
      if (const auto equals = item->text.find('='); equals != std::string::npos)
        put_label(root, trimmed(std::string_view(item->text).substr(0, equals)),
                  std::string(trimmed(std::string_view(item->text).substr(equals + 1))), item->spot);
  for (const auto& [key, value] : labels.members)
    if (value.is_text()) put_label(root, key, value.text, value.spot);
}

/// Adds the URL of the container to its services. "loadbalancer.server.port=80" is the port of that URL.
void name_servers(TreeNode& root, const std::string& container) {
  for (auto& [group, services] : root.members)
    if (group == "http")
      for (auto& [kind, all] : services.members)
        if (kind == "services")
          for (auto& [name, service] : all.members)
            for (auto& [key, balancer] : service.members) {
              if (!same_word(key, "loadbalancer")) continue;
              key = "loadBalancer";
              const auto port = balancer["server"].get("port");
              const auto scheme = balancer["server"].get("scheme", "http");
              if (port.empty() || balancer.has("servers")) continue;
              TreeNode url;
              url.kind = TreeNode::Kind::map;
              url.spot = balancer.spot;
              TreeNode text;
              text.kind = TreeNode::Kind::text;
              text.text = std::string(scheme).append("://").append(container).append(1, ':').append(port);
              text.spot = balancer.spot;
              url.members.push_back({"url", text});
              TreeNode list;
              list.kind = TreeNode::Kind::list;
              list.items.push_back(url);
              balancer.members.push_back({"servers", list});
            }
}

/// Reads flags such as "--entrypoints.web.address=:80" of the container that runs Traefik, as a list or on one line.
void take_flags(const TreeNode& command, TreeNode& root) {
  for (const auto* item : command.each()) {
    std::istringstream words(item->text);
    for (std::string word; words >> word;) {
      if (!lower(word).starts_with("--entrypoints.") && !lower(word).starts_with("--providers.docker.")) continue;
      const auto equals = word.find('=');
      const auto value = equals == std::string::npos ? "true" : word.substr(equals + 1);
      put_parts(root, std::string_view(word).substr(0, equals).substr(2), value, item->spot);
    }
  }
}

/// Returns whether Traefik ignores containers that are not explicitly enabled.
bool hides_containers(const TreeNode& document) {
  const auto& docker = member_of(member_of(document, "providers"), "docker");
  return same_word(text_in(docker, "exposedByDefault"), "false");
}

/// Returns the label "traefik.enable", or an empty text.
std::string enable_of(const TreeNode& labels) {
  for (const auto* item : labels.each())
    if (item->is_text() && lower(item->text).starts_with("traefik.enable="))
      return lower(item->text.substr(std::string_view("traefik.enable=").size()));
  return lower(text_in(labels, "traefik.enable"));
}

/// Reads the labels of each container in a docker-compose file.
void take_compose(const TreeNode& document, bool hidden, std::vector<TreeNode>& out, Draft& draft) {
  TreeNode flags;
  for (const auto& [container, service] : document["services"].members) take_flags(service["command"], flags);
  hidden = hidden || hides_containers(flags);
  if (flags) out.push_back(std::move(flags));
  for (const auto& [container, service] : document["services"].members) {
    const auto& labels = service.has("labels") ? service["labels"] : service["deploy"]["labels"];
    const auto enable = enable_of(labels);
    if (labels && (enable.empty() ? hidden : !is_true(enable))) {
      draft.say(Matter::aside, service.spot, container, "it is not enabled for Traefik");
      continue;
    }
    TreeNode root;
    take_labels(labels, root);
    if (!root) continue;
    name_servers(root, container);
    // A router without a service uses the only service of its container.
    const auto& http = root["http"];
    if (!http.has("services") && http.has("routers"))
      draft.say(Matter::lost, service.spot, container,
                "no label says the port of this container: loadbalancer.server.port");
    out.push_back(std::move(root));
  }
}

/// Returns the documents that Traefik reads, and adds remarks on others.
std::vector<TreeNode> traefik_documents(const std::vector<ReadFile>& inputs, Draft& draft) {
  std::size_t count = 0;
  std::vector<TreeNode> all;
  for (const auto& input : inputs)
    for (auto& document : read_yaml(input.text, input.name, count)) all.push_back(std::move(document));
  const bool hidden = std::ranges::any_of(all, hides_containers);
  std::vector<TreeNode> out;
  for (auto& document : all) {
    for (const auto* other : {"tcp", "udp"})
      if (document.has(other)) draft.say(Matter::lost, document[other].spot, other, "headgate is an HTTP gateway");
    const bool own = document.has("http") || document.has("entryPoints") || document.has("tls");
    if (own)
      out.push_back(std::move(document));
    else if (document.has("services"))
      take_compose(document, hidden, out, draft);
  }
  return out;
}

/// Returns whether two trees are equal apart from their places.
bool same_tree(const TreeNode& one, const TreeNode& other) {
  if (one.kind != other.kind || one.text != other.text) return false;
  return std::ranges::equal(one.items, other.items, same_tree) &&
         std::ranges::equal(one.members, other.members,
                            [](const auto& a, const auto& b) { return a.key == b.key && same_tree(a.value, b.value); });
}

/// Adds a middleware. If a name has two different definitions, the middleware becomes null, because it is unclear which
/// one a router means.
void add_middleware(TraefikWork& work, const std::string& name, const TreeNode& node) {
  const auto [known, is_new] = work.middlewares.emplace(name, &node);
  if (is_new || (known->second != nullptr && same_tree(*known->second, node))) return;
  known->second = nullptr;
  work.draft.say(Matter::lost, node.spot, "middleware " + name, "another definition of this name differs");
}

}  // namespace

void take_traefik(const std::vector<ReadFile>& inputs, Draft& draft) {
  const auto documents = traefik_documents(inputs, draft);
  TraefikWork work(draft);
  for (const auto& document : documents) {
    const auto& http = document["http"];
    for (const auto& [name, service] : http["services"].members) work.services.emplace(name, &service);
    for (const auto& [name, middleware] : http["middlewares"].members) add_middleware(work, name, middleware);
    for (const auto& [name, router] : http["routers"].members) work.has_public = work.has_public || is_for_all(router);
    take_tls(work, document["tls"]);
  }
  auto& listener = draft.listeners.emplace_back();
  listener.set("address", json_text(":80"));
  listener.comments.emplace_back(
      "The usual address of Traefik's entry point \"web\"; its static configuration may set another.");
  for (const auto& document : documents) take_entry_points(work, member_of(document, "entryPoints"));
  for (const auto& document : documents)
    for (const auto& [name, router] : document["http"]["routers"].members)
      take_router(work, name, router, document["http"]);
  for (auto& hole : work.holes) put_route(draft, std::move(hole));
  keep_unused_middlewares(work);
}

}  // namespace headgate::translate
