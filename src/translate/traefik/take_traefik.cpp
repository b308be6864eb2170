// Traefik's dynamic configuration, and the labels of containers that say the same.

#include "translate/draft/json.hpp"
#include "translate/products.hpp"
#include "translate/traefik/work.hpp"
#include "translate/unreadable.hpp"

#include "headgate/core/text.hpp"

#include <algorithm>

namespace headgate::translate {
namespace {

/// "traefik.http.routers.api.rule" as a place in a tree of maps; Traefik's labels have indexes and lists with commas.
void put_label(TreeNode& root, std::string_view key, const std::string& value, const Spot& spot) {
  constexpr std::string_view kHttp = "traefik.http.";
  if (!lower(key).starts_with(kHttp)) return;
  key.remove_prefix(std::string_view("traefik.").size());
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
    auto found =
        std::find_if(at->members.begin(), at->members.end(), [&](const auto& each) { return each.key == part; });
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

/// Labels as a list of "key=value" or a map.
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

/// A container's port is its server: "loadbalancer.server.port=80".
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

/// A file of docker-compose: the labels of each container.
void take_compose(const TreeNode& document, std::vector<TreeNode>& out, Draft& draft) {
  for (const auto& [container, service] : document["services"].members) {
    const auto& labels = service.has("labels") ? service["labels"] : service["deploy"]["labels"];
    TreeNode root;
    take_labels(labels, root);
    if (!root) continue;
    name_servers(root, container);
    // A router without a service goes to the only one of its container.
    const auto& http = root["http"];
    if (!http.has("services") && http.has("routers"))
      draft.say(Matter::lost, service.spot, container,
                "no label says the port of this container: loadbalancer.server.port");
    out.push_back(std::move(root));
  }
}

}  // namespace

void take_traefik(const std::vector<ReadFile>& inputs, Draft& draft) {
  std::size_t count = 0;
  std::vector<TreeNode> documents;
  for (const auto& input : inputs)
    for (auto& document : read_yaml(input.text, input.name, count)) {
      const bool map = document.is_map();
      if (document.has("http"))
        documents.push_back(std::move(document));
      else if (document.has("services"))
        take_compose(document, documents, draft);
      if (documents.empty() || !map) continue;
      for (const auto* other : {"tcp", "udp"})
        if (documents.back().has(other))
          draft.say(Matter::lost, documents.back()[other].spot, other, "headgate is an HTTP gateway");
    }
  TraefikWork work{.draft = draft,
                   .documents = documents,
                   .services = {},
                   .middlewares = {},
                   .upstreams = {},
                   .own_hosts = {},
                   .limits = {},
                   .said = {},
                   .applied = 0};
  for (const auto& document : documents) {
    const auto& http = document["http"];
    for (const auto& [name, service] : http["services"].members) work.services.emplace(name, &service);
    for (const auto& [name, middleware] : http["middlewares"].members) work.middlewares.emplace(name, &middleware);
    if (document.has("tls"))
      for (const auto* pair : document["tls"]["certificates"].each()) {
        auto& listener = draft.listeners.emplace_back();
        listener.spot = pair->spot;
        listener.from = "tls.certificates";
        listener.set("address", json_text(":443"));
        listener.set("tls", object_of({{"certificate", json_text(pair->get("certFile"))},
                                       {"key", json_text(pair->get("keyFile"))}}));
        break;
      }
  }
  auto& listener = draft.listeners.emplace_back();
  listener.set("address", json_text(":80"));
  listener.comments.emplace_back("Where Traefik's entry point \"web\" usually is; its static configuration says so.");
  for (const auto& document : documents)
    for (const auto& [name, router] : document["http"]["routers"].members)
      take_router(work, name, router, document["http"]);
  keep_unused_middlewares(work);
}

}  // namespace headgate::translate
