#pragma once
// Shared parts of the Spring importer: predicates, filters, and what they do to a route.

#include "translate/draft/draft.hpp"
#include "translate/reading/tree.hpp"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace headgate::translate {

/// A predicate or a filter: "Path=/api/**", or an object with "name" and "args".
struct SpringStep {
  std::string name;
  std::vector<std::string> values;  ///< in the order of the short form
  std::map<std::string, std::string, std::less<>> arguments;
  Spot spot;
  std::string text;
};

/// A circuit breaker of Resilience4j, with its time limiter.
struct SpringCircuit {
  std::string json;     ///< "circuit" of an upstream
  std::string timeout;  ///< JSON; empty if there is no time limiter
};

struct SpringWork {
  explicit SpringWork(Draft& drafted) : draft(drafted) {}

  Draft& draft;
  std::map<std::string, std::string> upstreams{};                ///< by URL
  std::map<std::string, std::string> limits{};                   ///< names of limits by their definitions
  std::map<std::string, SpringCircuit, std::less<>> circuits{};  ///< by the name of the instance
  std::optional<std::uint64_t> connect_timeout{};
  std::string require{};  ///< "require" of all routes as JSON, from Spring Security
  std::string closed{};   ///< part of Spring Security that cannot be translated, so that all routes are closed
  Spot closed_spot{};
  std::map<std::string, std::size_t> weighted{};  ///< routes with a weight, by all other properties
  /// upstreams and weights by the index of a route in `weighted`
  std::map<std::size_t, std::vector<std::pair<std::string, std::uint64_t>>> weights{};
};

/// The conditions of a route.
struct SpringChoice {
  struct Path {
    std::string path;
    std::string matches{};  ///< "path_matches"; empty if `path` is enough
  };
  std::vector<Path> paths;
  std::vector<std::string> hosts;
  std::vector<std::string> methods;
  std::vector<std::string> client_ip;
  std::vector<std::pair<std::string, std::string>> headers;
  std::vector<std::pair<std::string, std::string>> query;
  std::string group;  ///< group of routes that share requests by weight; empty if the route is in none
  std::uint64_t weight = 0;
};
/// Adds a predicate to the conditions. If it cannot be translated, it is left out and the route is closed, because the
/// route then matches more requests.
void take_predicate(const SpringStep& step, SpringChoice& out, DraftEntry& route);

/// Returns a member whose name may be written as "default-filters", "defaultFilters" or "default_filters".
const TreeNode& spring_member(const TreeNode& map, std::string_view key) noexcept;
/// Returns the nested member at "a.b.c".
const TreeNode& spring_at(const TreeNode& map, std::string_view path) noexcept;
std::string spring_text(const TreeNode& map, std::string_view key, std::string_view otherwise = {});

/// Reads "spring.security": who may use all routes.
void take_security(SpringWork& work, const TreeNode& document);
/// Reads "resilience4j": limits, and circuits for the filters that name them.
void take_resilience4j(SpringWork& work, const TreeNode& document);
/// Reads the filters of "bucket4j": limits, and routes for their URLs if there are no others.
void take_bucket4j(SpringWork& work, const TreeNode& document);

std::vector<SpringStep> steps_of(const TreeNode& list);
/// Converts "5s", "PT5S", "500ms" or "500" to milliseconds.
std::optional<std::uint64_t> spring_time(std::string_view text);
/// Translates the filter RequestRateLimiter.
void limit_requests(SpringWork& work, const SpringStep& filter, DraftEntry& route);
/// Translates the filter CircuitBreaker into "circuit" of the upstream.
void break_circuit(SpringWork& work, const SpringStep& filter, DraftEntry& route);
/// Applies all filters of a route in order.
void take_filters(SpringWork& work, const std::vector<SpringStep>& filters, DraftEntry& route);
/// Applies the filters that depend on the path of the route.
void finish_filters(const std::string& path, DraftEntry& route);

}  // namespace headgate::translate
