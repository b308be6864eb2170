#pragma once
// Predicates and filters of Spring Cloud Gateway, and what a filter does to a route.

#include "translate/draft/draft.hpp"
#include "translate/reading/tree.hpp"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace headgate::translate {

/// "Path=/api/**", or an object with "name" and "args".
struct SpringStep {
  std::string name;
  std::vector<std::string> values;  ///< in order
  std::map<std::string, std::string, std::less<>> arguments;
  Spot spot;
  std::string text;
};

struct SpringWork {
  Draft& draft;
  std::map<std::string, std::string> upstreams;  ///< by URL
  std::map<std::string, std::string> limits;     ///< by what they are made of
  std::optional<std::uint64_t> connect_timeout;
};

std::vector<SpringStep> steps_of(const TreeNode& list);
/// "5s", "PT5S", "500ms", "500" in milliseconds.
std::optional<std::uint64_t> spring_time(std::string_view text);
/// All of a route, in their order.
void take_filters(SpringWork& work, const std::vector<SpringStep>& filters, DraftEntry& route);
/// What could only be written when the path of the route was known.
void finish_filters(const std::string& path, DraftEntry& route);

}  // namespace headgate::translate
