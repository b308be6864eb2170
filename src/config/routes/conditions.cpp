// Conditions of routes beside host, path and method: fields, parameters and addresses.

#include "config/build.hpp"
#include "config/formats/formats.hpp"
#include "config/table_shapes.hpp"
#include "config/text/codes.hpp"
#include "config/values.hpp"

#include "headgate/core/text.hpp"
#include "headgate/gateway/path_regex.hpp"
#include "headgate/http/fields.hpp"
#include "headgate/identity/address_blocks.hpp"
#include "headgate/identity/network.hpp"

#include <algorithm>
#include <map>

namespace headgate::config {
namespace {

using gateway::ValueCondition;

/// Reads the values of a condition. Returns false if one cannot be used, which has then been reported.
bool read_values(Build& build, const Node& node, ValueCondition& out) {
  if (node.kind == Kind::boolean) {
    if (node.text == "true") return true;
    build.report.error(code::kConflict, node, "a route cannot demand that " + in_quotes(node.key) + " is absent",
                       "leave it out: the routes with more conditions come first, and this one takes the others");
    return false;
  }
  for (const Node* each : texts(&node)) out.values.push_back(each->text);
  std::sort(out.values.begin(), out.values.end());
  out.values.erase(std::unique(out.values.begin(), out.values.end()), out.values.end());
  return !out.values.empty();
}

template <class Same>
std::vector<ValueCondition> read_list(Build& build, const Node* written, const Same& same) {
  std::vector<ValueCondition> out;
  for (const Node* each : children(written, Kind::object)) {
    if (std::any_of(out.begin(), out.end(), [&](const auto& other) { return same(other.name, each->key); })) {
      build.report.error_at_key(code::kDuplicate, *each, in_quotes(each->key) + " appears twice here",
                                "write it once, with a list of values");
      continue;
    }
    ValueCondition condition{.name = each->key, .values = {}};
    if (read_values(build, *each, condition)) out.push_back(std::move(condition));
  }
  std::sort(out.begin(), out.end(), [](const auto& a, const auto& b) {
    return lower(a.name) < lower(b.name) || (lower(a.name) == lower(b.name) && a.name < b.name);
  });
  return out;
}

/// Returns whether a segment of an expression could be written as a {parameter} or a literal.
bool is_plain_segment(std::string_view segment) {
  if (segment == "[^/]+" || segment == "[^/]*") return true;
  return segment.find_first_of("\\^$.|?*+()[]{}") == std::string_view::npos;
}

/// Returns whether a pattern without a regular expression could match the same paths: those of literal segments,
/// "[^/]+" for a segment, and ".*" at the end.
bool needs_no_regex(std::string_view pattern) {
  if (pattern.starts_with('^')) pattern.remove_prefix(1);
  if (pattern.ends_with('$')) pattern.remove_suffix(1);
  if (pattern.ends_with("/.*")) pattern.remove_suffix(3);
  while (!pattern.empty()) {
    if (!pattern.starts_with('/')) return false;
    pattern.remove_prefix(1);
    const auto slash = pattern.starts_with("[^/]") ? pattern.find('/', 4) : pattern.find('/');
    if (!is_plain_segment(pattern.substr(0, slash))) return false;
    pattern.remove_prefix(std::min(slash, pattern.size()));
  }
  return true;
}

void read_regex(Build& build, const Node& route, const Node& written, gateway::RouteConditions& out) {
  using Case = gateway::PathRegex::Case;
  bool any_case = false;
  read(find(&build.root, "all_routes"), "ignore_case", any_case);
  read(&route, "ignore_case", any_case);
  auto made = gateway::PathRegex::make(written.text, any_case ? Case::ignored : Case::matters);
  if (made.has_error()) {
    build.report.error(code::kLiteral, written,
                       in_quotes(written.written) + " is not a regular expression here: " + made.error(),
                       "it is written as RE2 reads it, without backreferences and lookaround, and must match the whole "
                       "path: \"/v[0-9]+/.*\"");
    return;
  }
  if (needs_no_regex(written.text))
    build.report.warning(code::kNoEffect, written, "\"path\" can say this without a regular expression, and costs less",
                         "write parameters as {id}, and /* for what follows");
  out.path_pattern = written.text;
  out.path = std::move(*made);
}

}  // namespace

namespace {
constexpr Shape kConditionBlocks = list("a list of address blocks", kNetwork, 1, 64);
constexpr const Shape* kConditionForms[] = {&kNetwork, &kConditionBlocks};
}  // namespace
constexpr Shape kClientBlocks = either("an address block or a list of them", kConditionForms);

namespace {

/// Returns the blocks sorted, each once.
std::vector<identity::Network> read_blocks(const Node* written) {
  std::vector<const Node*> blocks = texts(written);
  if (written != nullptr && written->kind == Kind::string) blocks = {written};
  std::vector<identity::Network> out;
  for (const Node* each : blocks)
    if (auto block = identity::parse_network(each->text); block.has_value()) out.push_back(*block);
  std::sort(out.begin(), out.end(),
            [](const auto& a, const auto& b) { return identity::to_text(a) < identity::to_text(b); });
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

}  // namespace

std::string conditions_in_words(const gateway::RouteConditions& conditions) {
  std::vector<std::string> words;
  for (const auto& each : conditions.headers) words.push_back(each.name);
  for (const auto& each : conditions.query) words.push_back('?' + each.name);
  if (!conditions.client_ip.empty()) words.emplace_back("client_ip");
  if (conditions.path) words.push_back("path " + conditions.path_pattern);
  return words.empty() ? "" : " with " + joined(words, ", ");
}

gateway::RouteConditions build_conditions(Build& build, const Node& node) {
  gateway::RouteConditions out;
  out.headers = read_list(build, find(&node, "headers"),
                          [](std::string_view a, std::string_view b) { return http::same_variable(a, b); });
  out.query = read_list(build, find(&node, "query"), [](std::string_view a, std::string_view b) { return a == b; });
  for (auto& each : out.headers) each.name = lower(each.name);
  out.client_ip = read_blocks(find(&node, "client_ip"));
  if (const Node* written = text_at(&node, "path_matches"); written != nullptr && !written->text.empty())
    read_regex(build, node, *written, out);
  return out;
}

namespace {

using gateway::RouteConditions;
using gateway::RouteOptions;
using gateway::ValueCondition;

constexpr std::size_t kMaxAtOnePath = 1'000;  // each request is compared with all of them

using Conditions = std::vector<ValueCondition>;

const ValueCondition* find_name(const Conditions& all, const std::string& name) {
  const auto at = std::find_if(all.begin(), all.end(), [&](const auto& each) { return each.name == name; });
  return at == all.end() ? nullptr : &*at;
}

/// Returns whether some value meets both conditions. Both lists are sorted.
bool share_value(const ValueCondition& a, const ValueCondition& b) {
  if (a.values.empty() || b.values.empty()) return true;
  return std::any_of(a.values.begin(), a.values.end(),
                     [&](const auto& value) { return std::binary_search(b.values.begin(), b.values.end(), value); });
}

bool may_both_hold(const Conditions& a, const Conditions& b) {
  return std::all_of(a.begin(), a.end(), [&](const auto& each) {
    const auto* const other = find_name(b, each.name);
    return other == nullptr || share_value(each, *other);
  });
}

using Blocks = std::vector<identity::Network>;

bool may_both_hold(const Blocks& a, const Blocks& b) {
  if (a.empty() || b.empty()) return true;
  return std::any_of(a.begin(), a.end(), [&](const auto& one) {
    return std::any_of(b.begin(), b.end(),
                       [&](const auto& other) { return identity::within(one, other) || identity::within(other, one); });
  });
}

bool may_both_hold(const RouteConditions& a, const RouteConditions& b) {
  return may_both_hold(a.headers, b.headers) && may_both_hold(a.query, b.query) &&
         may_both_hold(a.client_ip, b.client_ip);
}

/// Returns whether every address in one of `narrow` is in one of `wide`. An empty list stands for all addresses.
bool implies(const Blocks& narrow, const Blocks& wide) {
  if (wide.empty()) return true;
  return !narrow.empty() && std::all_of(narrow.begin(), narrow.end(), [&](const auto& one) {
    return std::any_of(wide.begin(), wide.end(), [&](const auto& other) { return identity::within(one, other); });
  });
}

/// Returns whether every value that meets `narrow` meets `wide`.
bool implies(const ValueCondition* narrow, const ValueCondition& wide) {
  if (narrow == nullptr) return false;
  if (wide.values.empty()) return true;
  return !narrow->values.empty() &&
         std::includes(wide.values.begin(), wide.values.end(), narrow->values.begin(), narrow->values.end());
}

bool take_all(const Conditions& a, const Conditions& b, const Conditions& third) {
  return std::all_of(third.begin(), third.end(), [&](const auto& each) {
    return implies(find_name(a, each.name), each) || implies(find_name(b, each.name), each);
  });
}

/// Returns the methods that both routes name; sets `all` if neither names any. A route that names a method comes before
/// a route for all methods, so these two do not compete.
std::vector<std::string> shared_methods(const RouteOptions& a, const RouteOptions& b, bool& all) {
  all = a.methods.empty() && b.methods.empty();
  std::vector<std::string> out;
  for (const auto& method : a.methods)
    if (std::find(b.methods.begin(), b.methods.end(), method) != b.methods.end()) out.push_back(method);
  return out;
}

/// Returns whether `third` takes every request that matches both `a` and `b`.
bool settles(const RouteOptions& a, const RouteOptions& b, const RouteOptions& third) {
  const auto& own = third.conditions;
  if (own.path) return false;  // an expression on the path takes only some of the requests
  if (rank_of(own) <= rank_of(a.conditions) || rank_of(own) <= rank_of(b.conditions)) return false;
  if (!take_all(a.conditions.headers, b.conditions.headers, own.headers)) return false;
  if (!take_all(a.conditions.query, b.conditions.query, own.query)) return false;
  if (!implies(a.conditions.client_ip, own.client_ip) && !implies(b.conditions.client_ip, own.client_ip)) return false;
  bool all = false;
  const auto methods = shared_methods(a, b, all);
  if (third.methods.empty()) return true;
  return !all && std::all_of(methods.begin(), methods.end(), [&](const auto& method) {
    return std::find(third.methods.begin(), third.methods.end(), method) != third.methods.end();
  });
}

/// Returns whether the block of `first` is the smaller one in each pair of blocks that share addresses.
bool is_smaller(const Blocks& first, const Blocks& second) {
  return !first.empty() && !second.empty() && std::all_of(first.begin(), first.end(), [&](const auto& one) {
    return std::all_of(second.begin(), second.end(), [&](const auto& other) {
      return identity::within(one, other) || !identity::within(other, one);
    });
  });
}

/// Returns whether one of the two conditions wins for every request that meets both, because it is more specific. A
/// list of blocks is ranked by its largest block, which need not be the one that contains the address.
bool is_decided(const RouteConditions& a, const RouteConditions& b) {
  const auto first = rank_of(a);
  const auto second = rank_of(b);
  if (first == second) return false;
  if (first.count != second.count || first.with_values != second.with_values) return true;
  return first > second ? is_smaller(a.client_ip, b.client_ip) : is_smaller(b.client_ip, a.client_ip);
}

bool compete(const RouteOptions& a, const RouteOptions& b) {
  // No practical check decides whether two expressions match a common path. So the first route of the file applies.
  if (a.conditions.path || b.conditions.path) return false;
  if (a.conditions == b.conditions || is_decided(a.conditions, b.conditions)) return false;
  bool all = false;
  return (!shared_methods(a, b, all).empty() || all) && may_both_hold(a.conditions, b.conditions);
}

void check_group(Build& build, const std::vector<std::size_t>& group) {
  const auto& routes = build.config.gateway.routes;
  for (std::size_t late = 1; late < group.size(); ++late) {
    for (std::size_t early = 0; early < late; ++early) {
      const auto& a = routes[group[early]];
      const auto& b = routes[group[late]];
      if (!compete(a, b)) continue;
      const bool settled =
          std::any_of(group.begin(), group.end(), [&](std::size_t third) { return settles(a, b, routes[third]); });
      if (settled) continue;
      const Node& node = *build.route_nodes[group[late]];
      build.report.error(code::kConflict, {node.span.begin, node.span.begin + 1}, pointer(node),
                         "a request can meet the conditions of this route and of the one at " +
                             build.report.place(build.route_nodes[group[early]]->span.begin) +
                             ", and none is more specific",
                         "give one of them a further condition, or add a route with the conditions of both");
      break;  // one report for each route is enough
    }
  }
}

}  // namespace

void check_conditions(Build& build) {
  const auto& routes = build.config.gateway.routes;
  std::map<std::string, std::vector<std::size_t>> groups;
  for (std::size_t i = 0; i < routes.size(); ++i) {
    if (routes[i].conditions.empty() || routes[i].path.empty()) continue;
    auto& group = groups[routes[i].host + ' ' + shape_of(build, routes[i])];
    group.push_back(i);
    if (group.size() != kMaxAtOnePath + 1) continue;
    const Node& node = *build.route_nodes[i];
    build.report.error(
        code::kRange, {node.span.begin, node.span.begin + 1}, pointer(node),
        "more than " + std::to_string(kMaxAtOnePath) + " routes with conditions have the same host and path",
        "tell them apart by host or path: each request is compared with all of them");
  }
  for (const auto& [path, group] : groups)
    if (group.size() <= kMaxAtOnePath) check_group(build, group);
}

}  // namespace headgate::config
