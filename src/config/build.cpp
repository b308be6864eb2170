// Names and places in a configuration, for several of its builders.

#include "config/build.hpp"

#include "config/text/report.hpp"

#include "headgate/core/text.hpp"

#include <algorithm>

namespace headgate::config {

SourceLocation place_of(const Build& build, const Node& node) {
  const auto position = build.report.position(node.span.begin);
  return {position.line, position.column, std::string(build.report.file_at(node.span.begin))};
}

NumbersByName numbers_of(const std::vector<const Node*>& nodes) {
  NumbersByName out;
  out.reserve(nodes.size());
  for (std::size_t i = 0; i < nodes.size(); ++i) out.emplace(nodes[i]->key, i);
  return out;
}

int limit_index(const Build& build, std::string_view name) {
  const auto found = build.limit_numbers.find(name);
  return found == build.limit_numbers.end() ? -1 : static_cast<int>(found->second);
}

std::string route_text(const gateway::RouteOptions& route) {
  return route.name.empty() ? "this route" : "route " + in_quotes(route.name);
}

const Node* nearest_node(std::string_view written, const std::vector<const Node*>& nodes) {
  std::vector<std::string> names;
  names.reserve(nodes.size());
  for (const Node* node : nodes) names.push_back(node->key);
  const auto near = nearest(written, names);
  const auto found = std::find(names.begin(), names.end(), near);
  return near.empty() || found == names.end() ? nullptr : nodes[static_cast<std::size_t>(found - names.begin())];
}

std::string suggestion(std::string_view written, const std::vector<const Node*>& nodes, const Report& report) {
  // Only the first mistakes of a file get a suggestion, because each suggestion compares a name with all others.
  constexpr std::size_t kSuggested = 100;
  if (report.errors() > kSuggested) return "";
  if (const Node* near = nearest_node(written, nodes)) {
    return "did you mean " + in_quotes(near->key) + ", defined at " + report.place(near->key_span.begin) + "?";
  }
  constexpr std::size_t kListed = 12;
  std::string names;
  for (std::size_t i = 0; i < nodes.size() && i < kListed; ++i) names += (i == 0 ? "" : ", ") + nodes[i]->key;
  if (nodes.size() > kListed) names += ", ...";
  return names.empty() ? "" : "there are: " + names;
}

}  // namespace headgate::config
