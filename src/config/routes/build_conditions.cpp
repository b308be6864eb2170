// What routes demand beside host, path and method: fields and parameters.

#include "config/build.hpp"
#include "config/formats/formats.hpp"
#include "config/text/codes.hpp"
#include "config/values.hpp"

#include "headgate/core/text.hpp"
#include "headgate/http/fields.hpp"

#include <algorithm>

namespace headgate::config {
namespace {

using gateway::ValueCondition;

/// Nothing if the value is of no use; that is reported.
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
      build.report.error_at_key(code::kDuplicate, *each, in_quotes(each->key) + " stands here twice",
                                "give it once, with a list of values");
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

}  // namespace

std::string conditions_in_words(const gateway::RouteConditions& conditions) {
  std::vector<std::string> words;
  for (const auto& each : conditions.headers) words.push_back(each.name);
  for (const auto& each : conditions.query) words.push_back('?' + each.name);
  return words.empty() ? "" : " with " + joined(words, ", ");
}

gateway::RouteConditions build_conditions(Build& build, const Node& node) {
  gateway::RouteConditions out;
  out.headers = read_list(build, find(&node, "headers"),
                          [](std::string_view a, std::string_view b) { return http::same_variable(a, b); });
  out.query = read_list(build, find(&node, "query"), [](std::string_view a, std::string_view b) { return a == b; });
  for (auto& each : out.headers) each.name = lower(each.name);
  return out;
}

}  // namespace headgate::config
