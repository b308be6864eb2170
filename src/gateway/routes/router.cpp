#include "headgate/gateway/router.hpp"

#include "headgate/core/text.hpp"
#include "headgate/http/fields.hpp"
#include "headgate/http/path.hpp"

#include <boost/unordered/unordered_flat_map.hpp>

#include <algorithm>
#include <array>

namespace headgate::gateway {
namespace {

struct MethodRoute {
  // The literal segments of the pattern, and "" for each other segment. Used to compare case if this route is
  // case-sensitive and another route of the tree is not.
  std::vector<std::string> spelled;
  std::vector<std::string> methods;  // empty for all methods
  const Route* route;
  const RouteConditions* conditions = nullptr;
  ConditionRank rank;
};

/// The routes of one pattern; if case is ignored, those of all patterns that differ only in case.
struct Routes {
  std::vector<MethodRoute> as_spelled;  // the case-sensitive routes, which are more specific
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
  Routes rest;  // routes that end in "*" directly after this segment
};

/// The trees of all hosts. The tree of a request is found in a hash table, so the number of hosts does not matter.
struct Router::Hosts {
  using ByName = boost::unordered_flat_map<std::string, std::unique_ptr<Node>, TextHash, std::equal_to<>>;
  ByName exact;                     // "a.example"
  ByName below;                     // ".example"
  std::unique_ptr<Node> any;        // null if each route names a host
  std::size_t longest_pattern = 0;  // length of the longest pattern in `below`

  Node& tree_of(const std::string& name) {
    auto& tree = name.empty() ? any : (name.front() == '.' ? below : exact)[name];
    if (name.starts_with('.')) longest_pattern = std::max(longest_pattern, name.size());
    if (!tree) tree = std::make_unique<Node>();
    return *tree;
  }
};

/// The arguments of find_in(), and its results besides the route.
struct Router::Check {
  std::string_view spelled;  // the normalised path with its original case
  const Wanted& wanted;
  Found& found;
};

Router::Router(Case letters) : hosts_(std::make_unique<Hosts>()), letters_(letters) {}
Router::~Router() = default;
Router::Router(Router&&) noexcept = default;
Router& Router::operator=(Router&&) noexcept = default;

void Router::add(std::string_view host, std::string_view pattern, const std::vector<std::string>& methods,
                 const Route* route, Case letters, const RouteConditions* conditions) {
  Node* node = &hosts_->tree_of(lower(host.starts_with("*.") ? host.substr(1) : host));
  if (conditions != nullptr && conditions->empty()) conditions = nullptr;
  MethodRoute made{{}, methods, route, conditions, conditions ? rank_of(*conditions) : ConditionRank{}};
  const auto put = [&](Routes& routes) {
    auto& list = letters == Case::matters ? routes.as_spelled : routes.any_case;
    const auto above = [](const ConditionRank& rank, const MethodRoute& each) { return rank > each.rank; };
    list.insert(std::upper_bound(list.begin(), list.end(), made.rank, above), std::move(made));
  };
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

/// Returns whether `path`, which matches if case is ignored, has exactly these segments.
bool same_letters(const std::vector<std::string>& spelled, std::string_view path) noexcept {
  return std::all_of(spelled.begin(), spelled.end(), [&](const std::string& wanted) {
    const auto segment = without_parameters(http::next_segment(path));
    return wanted.empty() || segment == wanted;
  });
}

/// Returns whether the route names the method. Case is ignored, as in some servers; standard methods in lower case were
/// refused before.
bool names_method(const MethodRoute& each, std::string_view method) noexcept {
  return std::any_of(each.methods.begin(), each.methods.end(),
                     [method](const std::string& one) { return http::same_word(one, method); });
}

/// Returns whether the route takes the method because it names none. The answer to TRACE contains the request,
/// including credentials, so a route must name TRACE.
bool takes_all(const MethodRoute& each, std::string_view method) noexcept {
  return each.methods.empty() && method != "TRACE";
}

Meets conditions_of(const MethodRoute& each, const Router::Wanted& wanted) {
  static const http::Fields none;
  return each.conditions
             ? meets(*each.conditions, wanted.fields ? *wanted.fields : none, wanted.query, wanted.path, wanted.client)
             : Meets::yes;
}

void add_methods(const MethodRoute& entry, std::string& allowed) {
  const auto add = [&allowed](std::string_view one) {
    if (http::lists(allowed, one)) return;
    if (!allowed.empty()) allowed += ", ";
    allowed += one;
  };
  std::string_view default_value = entry.methods.empty() ? kDefaultMethods : std::string_view{};
  for (std::string_view one; http::next_member(default_value, one);) add(one);
  for (const auto& one : entry.methods) add(one);
}

/// Chooses from routes of one pattern, which are sorted by their rank.
const Route* choose(const std::vector<MethodRoute>& routes, std::string_view path, const Router::Wanted& wanted,
                    Router::Found& found) {
  const auto fits = [&](const MethodRoute& each) { return same_letters(each.spelled, path); };
  const MethodRoute* any = nullptr;
  for (const auto& each : routes) {
    if (any && each.rank < any->rank) break;
    if (!fits(each)) continue;
    const bool named = names_method(each, wanted.method);
    if (!named && (any || !takes_all(each, wanted.method))) continue;
    const auto met = conditions_of(each, wanted);
    found.unclear = found.unclear || met == Meets::unclear;
    if (met != Meets::yes) continue;
    if (named) return each.route;
    any = &each;
  }
  if (any) return any->route;
  for (const auto& entry : routes) {
    if (fits(entry) && conditions_of(entry, wanted) == Meets::yes) add_methods(entry, found.allowed);
  }
  return nullptr;
}

const Route* choose(const Routes& routes, std::string_view path, const Router::Wanted& wanted, Router::Found& found) {
  if (const auto* route = choose(routes.as_spelled, path, wanted, found)) return route;
  return choose(routes.any_case, path, wanted, found);
}

}  // namespace

// Searches depth first: if a branch has no route, the next less specific branch is tried. Only one path leads to each
// node, so a request visits a node at most once. longest_search() bounds the number of visits. The search goes no
// deeper than the patterns, however long the path of a request is.
const Route* Router::find_in(const Node& node, std::string_view path, Check& check) {
  const auto take = [&](const Routes& routes) { return choose(routes, check.spelled, check.wanted, check.found); };
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

/// Visits the trees from the most specific one: the host itself, then patterns from the longest to the shortest, then
/// any host. `visit` returns true to stop.
template <class Visit>
void Router::each_tree(std::string_view host, const Visit& visit) const {
  const auto& [exact, below, any, longest_pattern] = *hosts_;
  // Plain configurations name no host.
  if (!exact.empty() || !below.empty()) {
    // A longer name cannot be the exact host of a route; only its end can match a pattern.
    constexpr std::size_t kLongest = 255;
    std::array<char, kLongest> buffer;  // NOLINT(cppcoreguidelines-pro-type-member-init): filled below
    const auto end = host.substr(host.size() - std::min(host.size(), kLongest));
    std::transform(end.begin(), end.end(), buffer.begin(), [](char c) { return lower(c); });
    const std::string_view name(buffer.data(), end.size());
    if (host.size() <= kLongest)
      if (const auto at = exact.find(name); at != exact.end() && visit(*at->second)) return;
    auto dot = name.size() > longest_pattern ? name.size() - longest_pattern : 0;
    // a pattern such as ".example" needs a label before it
    if (name.size() == host.size()) dot = std::max<std::size_t>(dot, 1);
    for (dot = name.find('.', dot); dot != name.npos && !below.empty(); dot = name.find('.', dot + 1)) {
      if (const auto at = below.find(name.substr(dot)); at != below.end() && visit(*at->second)) return;
    }
  }
  if (any) visit(*any);
}

Router::Found Router::find(const Wanted& wanted) const {
  Found found;
  const auto below = wanted.path.starts_with('/') ? wanted.path.substr(1) : wanted.path;
  const auto folded = letters_ == Case::ignored ? http::fold_case(below) : std::string();
  Check check{below, wanted, found};
  each_tree(http::host_of(wanted.authority), [&](const Node& tree) {
    found.host_known = true;
    found.route = find_in(tree, letters_ == Case::ignored ? std::string_view(folded) : below, check);
    return found.route != nullptr;
  });
  if (found.route) found.allowed.clear();
  // A less specific route must not take a request that may be meant for a more specific one.
  if (found.unclear) found.route = nullptr;
  return found;
}

std::size_t Router::longest_search() const {
  const auto longest = [](const auto& self, const Node& node) -> std::size_t {
    std::size_t literal = 0;
    for (const auto& [segment, child] : node.literals) literal = std::max(literal, self(self, *child));
    return 1 + literal + (node.parameter ? self(self, *node.parameter) : 0);
  };
  std::size_t out = hosts_->any ? longest(longest, *hosts_->any) : 0;
  for (const auto* trees : {&hosts_->exact, &hosts_->below})
    for (const auto& [name, tree] : *trees) out = std::max(out, longest(longest, *tree));
  return out;
}

bool is_path_parameter(std::string_view name) noexcept {
  const auto digit = [](char c) { return c >= '0' && c <= '9'; };
  const auto fits = [&](char c) { return digit(c) || c == '_' || (lower(c) >= 'a' && lower(c) <= 'z'); };
  return !name.empty() && !digit(name.front()) && std::all_of(name.begin(), name.end(), fits);
}

}  // namespace headgate::gateway
