// Finds the plugins that apply to each route.

#include "translate/kong/work.hpp"

#include "headgate/core/text.hpp"

namespace headgate::translate {
namespace {

void index(const TreeNode& list, std::map<std::string, const TreeNode*>& out) {
  for (const auto* node : list.each())
    for (const auto* key : {"name", "id"})
      if (auto name = node->get(key); !name.empty()) out.emplace(std::move(name), node);
}

const TreeNode* look_up(const std::map<std::string, const TreeNode*>& all, const std::string& name) {
  const auto found = all.find(name);
  return found == all.end() ? nullptr : found->second;
}

void overlay(KongPlugins& out, const KongPlugins& nearer) {
  for (const auto& [name, plugin] : nearer) out[name] = plugin;
}

template <class Map, class Key>
const KongPlugins& found(const Map& map, const Key& key) {
  static const KongPlugins kNone;
  const auto at = map.find(key);
  return at == map.end() ? kNone : at->second;
}

}  // namespace

KongNodes::KongNodes(const TreeNode& document) {
  index(document["services"], services_);
  index(document["routes"], routes_);
  for (const auto* service : document["services"].each()) index((*service)["routes"], routes_);
}

const TreeNode* KongNodes::service(const std::string& name_or_id) const noexcept {
  return look_up(services_, name_or_id);
}
const TreeNode* KongNodes::route(const std::string& name_or_id) const noexcept { return look_up(routes_, name_or_id); }

bool is_enabled(const TreeNode& plugin) {
  const auto written = plugin.get("enabled", "true");
  return !same_word(written, "false") && !same_word(written, "no") && !same_word(written, "off");
}

std::string reference(const TreeNode& node, std::string_view key) {
  const auto& inner = node[key];
  return node.get(key, inner.get("name", inner.get("username", inner.get("id"))));
}

KongScopes::KongScopes(KongWork& work, const TreeNode& document, const KongNodes& nodes) : work_(work), nodes_(nodes) {
  const auto nested = [&](const TreeNode& node, KongPlugins& plugins) {
    for (const auto* plugin : node["plugins"].each()) {
      say_of_plugin(work_.draft, *plugin);
      work_.owners[plugin] = node.get("name");
      if (is_enabled(*plugin) && !plugin->has("consumer") && !plugin->has("consumer_group"))
        plugins[plugin->get("name")] = plugin;
    }
  };
  for (const auto* service : document["services"].each()) {
    nested(*service, of_services_[service]);
    for (const auto* route : (*service)["routes"].each()) nested(*route, of_routes_[route]);
  }
  for (const auto* route : document["routes"].each()) nested(*route, of_routes_[route]);
  for (const auto* plugin : document["plugins"].each()) {
    if (plugin->has("consumer") || plugin->has("consumer_group")) continue;
    say_of_plugin(work_.draft, *plugin);
    if (is_enabled(*plugin)) add(*plugin);
  }
}

void KongScopes::add(const TreeNode& plugin) {
  const auto name = plugin.get("name");
  const auto service_name = reference(plugin, "service");
  const auto route_name = reference(plugin, "route");
  const auto* service = nodes_.service(service_name);
  const auto* route = nodes_.route(route_name);
  work_.owners[&plugin] = route_name.empty() ? service_name : route_name;
  const bool lost = (plugin.has("service") && service == nullptr) || (plugin.has("route") && route == nullptr);
  if (lost) {
    work_.draft.say(
        Matter::differs, plugin.spot, "plugin " + name,
        "its service or route is not in this file: here it applies to every route without such a plugin of its own");
    everywhere_.emplace(name, &plugin);
  } else if (service != nullptr && route != nullptr) {
    of_both_[{service, route}][name] = &plugin;
  } else if (service != nullptr) {
    of_services_[service][name] = &plugin;
  } else if (route != nullptr) {
    of_routes_[route][name] = &plugin;
  } else {
    everywhere_[name] = &plugin;
  }
}

KongPlugins KongScopes::of(const TreeNode& service, const TreeNode& route) const {
  auto out = everywhere_;
  overlay(out, found(of_services_, &service));
  overlay(out, found(of_routes_, &route));
  overlay(out, found(of_both_, std::pair(&service, &route)));
  return out;
}

}  // namespace headgate::translate
