#include "headgate/gateway/router.hpp"

#include "headgate/core/text.hpp"
#include "headgate/http/fields.hpp"
#include "headgate/http/path.hpp"

#include <boost/unordered/unordered_flat_map.hpp>

#include <algorithm>

namespace headgate::gateway {
namespace {

struct MethodRoute {
  // Used if this route is case-sensitive and another one is not: the literal segments, "" for the others.
  std::vector<std::string> spelled;
  std::vector<std::string> methods;  // empty: all
  const Route* route;
};

/// The routes of one pattern; if case is ignored, of all patterns that differ only in case.
struct Routes {
  std::vector<MethodRoute> as_spelled;  // more specific
  std::vector<MethodRoute> any_case;
};

struct TextHash {
  using is_transparent = void;
  std::size_t operator()(std::string_view text) const noexcept { return std::hash<std::string_view>{}(text); }
};

std::string_view without_parameters(std::string_view segment) noexcept { return segment.substr(0, segment.find(';')); }

}  // namespace

struct Router::Node {
  boost::unordered_flat_map<std::string, std::unique_ptr<Node>, TextHash, std::equal_to<>> literals;
  std::unique_ptr<Node> parameter;
  Routes here;  // routes that end in this segment
  Routes rest;  // routes that end in "*" after it
};

struct Router::Host {
  std::string name;  // "", "a.example" or ".example"
  Node root;

  bool fits(std::string_view host) const noexcept {
    if (name.empty()) return true;
    if (name.front() != '.') return http::same_word(host, name);
    return host.size() > name.size() && http::same_word(host.substr(host.size() - name.size()), name);
  }
  // Exact hosts before patterns, longer patterns before shorter ones, "any" last.
  std::pair<int, std::size_t> rank() const noexcept {
    if (name.empty()) return {2, 0};
    return {name.front() == '.' ? 1 : 0, static_cast<std::size_t>(0) - name.size()};
  }
};

/// What find_in() searches for, and the methods that it collects.
struct Router::Check {
  std::string_view spelled;  // the normalised path, in its own case
  std::string_view method;
  std::string& allowed;
};

Router::Router(Case letters) : letters_(letters) {}
Router::~Router() = default;
Router::Router(Router&&) noexcept = default;
Router& Router::operator=(Router&&) noexcept = default;

void Router::add(std::string_view host, std::string_view pattern, const std::vector<std::string>& methods,
                 const Route* route, Case letters) {
  const auto name = lower(host.starts_with("*.") ? host.substr(1) : host);
  auto at = std::find_if(hosts_.begin(), hosts_.end(), [&](const auto& one) { return one->name == name; });
  if (at == hosts_.end()) {
    auto made = std::make_unique<Host>();
    made->name = name;
    const auto rank = made->rank();
    at = std::find_if(hosts_.begin(), hosts_.end(), [&](const auto& one) { return rank < one->rank(); });
    at = hosts_.insert(at, std::move(made));
  }
  MethodRoute made{{}, methods, route};
  const auto put = [&](Routes& routes) {
    (letters == Case::matters ? routes.as_spelled : routes.any_case).push_back(std::move(made));
  };
  Node* node = &(*at)->root;
  while (true) {
    pattern.remove_prefix(1);  // every pattern begins with "/"
    const auto segment = pattern.substr(0, pattern.find('/'));
    if (segment == "*") return put(node->rest);
    const bool parameter = segment.starts_with('{');
    const auto literal = parameter ? std::string() : http::matched_segment(segment);
    if (letters_ == Case::ignored && letters == Case::matters) made.spelled.push_back(literal);
    auto& child =
        parameter ? node->parameter : node->literals[letters_ == Case::ignored ? http::fold_case(literal) : literal];
    if (!child) child = std::make_unique<Node>();
    node = child.get();
    pattern.remove_prefix(segment.size());
    if (pattern.empty() || pattern == "/") return put(node->here);
  }
}

namespace {

/// Whether `path`, which matches without case, has exactly these segments.
bool same_letters(const std::vector<std::string>& spelled, std::string_view path) noexcept {
  return std::all_of(spelled.begin(), spelled.end(), [&](const std::string& wanted) {
    const auto segment = without_parameters(http::next_segment(path));
    return wanted.empty() || segment == wanted;
  });
}

/// Methods are compared without case, because servers may do so; standard methods in lower case were refused before.
/// TRACE answers with the request, including credentials, so a route must name it.
const Route* choose(const std::vector<MethodRoute>& routes, std::string_view path, std::string_view method,
                    std::string& allowed) {
  const auto fits = [&](const MethodRoute& each) { return same_letters(each.spelled, path); };
  const Route* any = nullptr;
  for (const auto& each : routes) {
    if (!fits(each)) continue;
    if (each.methods.empty() && method != "TRACE") any = each.route;
    for (const auto& one : each.methods) {
      if (http::same_word(one, method)) return each.route;
    }
  }
  if (any) return any;
  const auto add = [&allowed](std::string_view one) {
    if (http::lists(allowed, one)) return;
    if (!allowed.empty()) allowed += ", ";
    allowed += one;
  };
  for (const auto& entry : routes) {
    if (!fits(entry)) continue;
    std::string_view default_value = entry.methods.empty() ? kDefaultMethods : std::string_view{};
    for (std::string_view one; http::next_member(default_value, one);) add(one);
    for (const auto& one : entry.methods) add(one);
  }
  return nullptr;
}

const Route* choose(const Routes& routes, std::string_view path, std::string_view method, std::string& allowed) {
  if (const auto* found = choose(routes.as_spelled, path, method, allowed)) return found;
  return choose(routes.any_case, path, method, allowed);
}

}  // namespace

// Searches depth first: if a branch has no route, the next less specific one is tried. The operator writes the
// patterns, so depth and number of branches are bounded by the configuration.
const Route* Router::find_in(const Node& node, std::string_view path, Check& check) {
  const auto take = [&](const Routes& routes) { return choose(routes, check.spelled, check.method, check.allowed); };
  std::string_view below = path;
  const auto segment = without_parameters(http::next_segment(below));
  const auto beneath = [&](const Node& child) -> const Route* {
    if (!below.empty()) return find_in(child, below, check);
    const auto* found = take(child.here);
    return found ? found : take(child.rest);
  };
  if (!node.literals.empty()) {
    const auto at = node.literals.find(segment);
    if (at != node.literals.end())
      if (const auto* found = beneath(*at->second)) return found;
  }
  if (node.parameter && !segment.empty()) {
    if (const auto* found = beneath(*node.parameter)) return found;
  }
  return take(node.rest);
}

Router::Found Router::find(std::string_view authority, std::string_view path, std::string_view method) const {
  Found found;
  const auto host = http::host_of(authority);
  const auto below = path.starts_with('/') ? path.substr(1) : path;
  const auto folded = letters_ == Case::ignored ? http::fold_case(below) : std::string();
  Check check{below, method, found.allowed};
  for (const auto& candidate : hosts_) {
    if (!candidate->fits(host)) continue;
    found.host_known = true;
    found.route = find_in(candidate->root, letters_ == Case::ignored ? std::string_view(folded) : below, check);
    if (found.route) {
      found.allowed.clear();
      return found;
    }
  }
  return found;
}

bool is_path_parameter(std::string_view name) noexcept {
  const auto digit = [](char c) { return c >= '0' && c <= '9'; };
  const auto fits = [&](char c) { return digit(c) || c == '_' || (lower(c) >= 'a' && lower(c) <= 'z'); };
  return !name.empty() && !digit(name.front()) && std::all_of(name.begin(), name.end(), fits);
}

}  // namespace headgate::gateway
