#include "headgate/gateway/router.hpp"

#include "headgate/http/fields.hpp"

#include <boost/unordered/unordered_flat_map.hpp>

#include <algorithm>

namespace headgate::gateway {
namespace {

struct MethodRoute {
  std::vector<std::string> methods;  // empty: all
  const Route* route;
};

struct TextHash {
  using is_transparent = void;
  std::size_t operator()(std::string_view text) const noexcept { return std::hash<std::string_view>{}(text); }
};

std::string_view without_parameters(std::string_view segment) noexcept { return segment.substr(0, segment.find(';')); }

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + 32);
  }
  return out;
}

}  // namespace

struct Router::Node {
  boost::unordered_flat_map<std::string, std::unique_ptr<Node>, TextHash, std::equal_to<>> literals;
  std::unique_ptr<Node> parameter;
  std::vector<MethodRoute> here;  // routes that end in this segment
  std::vector<MethodRoute> rest;  // routes that end in "*" behind it
};

struct Router::Host {
  std::string name;  // "", "a.example" or ".example"
  Node root;

  bool fits(std::string_view host) const noexcept {
    if (name.empty()) return true;
    if (name.front() != '.') return http::same_word(host, name);
    return host.size() > name.size() && http::same_word(host.substr(host.size() - name.size()), name);
  }
  // Exact before patterns, longer patterns before shorter, "any" last.
  std::pair<int, std::size_t> rank() const noexcept {
    if (name.empty()) return {2, 0};
    return {name.front() == '.' ? 1 : 0, static_cast<std::size_t>(0) - name.size()};
  }
};

Router::Router() = default;
Router::~Router() = default;
Router::Router(Router&&) noexcept = default;
Router& Router::operator=(Router&&) noexcept = default;

void Router::add(std::string_view host, std::string_view pattern, const std::vector<std::string>& methods,
                 const Route* route) {
  const auto name = lower(host.starts_with("*.") ? host.substr(1) : host);
  auto at = std::find_if(hosts_.begin(), hosts_.end(), [&](const auto& one) { return one->name == name; });
  if (at == hosts_.end()) {
    auto made = std::make_unique<Host>();
    made->name = name;
    const auto rank = made->rank();
    at = std::find_if(hosts_.begin(), hosts_.end(), [&](const auto& one) { return rank < one->rank(); });
    at = hosts_.insert(at, std::move(made));
  }
  Node* node = &(*at)->root;
  pattern.remove_prefix(1);  // every pattern begins with '/'
  while (true) {
    const auto slash = pattern.find('/');
    const auto segment = pattern.substr(0, slash);
    if (segment == "*") {
      node->rest.push_back({methods, route});
      break;
    }
    auto& child = segment.starts_with('{') ? node->parameter : node->literals[std::string(segment)];
    if (!child) child = std::make_unique<Node>();
    node = child.get();
    if (slash == std::string_view::npos) {
      node->here.push_back({methods, route});
      break;
    }
    pattern.remove_prefix(slash + 1);
  }
}

namespace {

/// Methods of our own are compared without case, for servers may; the standard ones come in capital letters only. TRACE
/// answers with what it was sent, the credentials too: a route has to name it.
const Route* choose(const std::vector<MethodRoute>& routes, std::string_view method, std::string& allowed) {
  const Route* any = nullptr;
  for (const auto& [methods, route] : routes) {
    if (methods.empty() && method != "TRACE") any = route;
    for (const auto& one : methods) {
      if (http::same_word(one, method)) return route;
    }
  }
  if (any) return any;
  const auto add = [&allowed](std::string_view one) {
    if (http::lists(allowed, one)) return;
    if (!allowed.empty()) allowed += ", ";
    allowed += one;
  };
  for (const auto& entry : routes) {
    std::string_view usual = entry.methods.empty() ? kUsualMethods : std::string_view{};
    for (std::string_view one; http::next_member(usual, one);) add(one);
    for (const auto& one : entry.methods) add(one);
  }
  return nullptr;
}

}  // namespace

// A walk down the tree that remembers nothing: where a branch ends in nothing, the next less specific one is tried.
// Patterns are written by the operator, so the depth and the number of branches are theirs.
const Route* Router::find_in(const Node& node, std::string_view path, std::string_view method,
                             std::string& allowed) const {
  const auto slash = path.find('/');
  const auto raw = path.substr(0, slash);
  const auto segment = without_parameters(raw);
  const auto beneath = [&](const Node& child) -> const Route* {
    if (slash != std::string_view::npos) {
      if (const auto* found = find_in(child, path.substr(slash + 1), method, allowed)) return found;
      if (slash + 1 != path.size()) return nullptr;  // more than a slash at the end follows
    }
    return choose(child.here, method, allowed);
  };
  if (const auto at = node.literals.find(segment); at != node.literals.end()) {
    if (const auto* found = beneath(*at->second)) return found;
  }
  if (node.parameter && !segment.empty()) {
    if (const auto* found = beneath(*node.parameter)) return found;
  }
  return choose(node.rest, method, allowed);
}

Router::Found Router::find(std::string_view authority, std::string_view path, std::string_view method) const {
  Found found;
  const auto host = http::host_of(authority);
  const auto below = path.starts_with('/') ? path.substr(1) : path;
  for (const auto& candidate : hosts_) {
    if (!candidate->fits(host)) continue;
    found.host_known = true;
    found.route = find_in(candidate->root, below, method, found.allowed);
    if (found.route) {
      found.allowed.clear();
      return found;
    }
  }
  return found;
}

}  // namespace headgate::gateway
