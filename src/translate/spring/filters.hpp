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

/// A circuit breaker of Resilience4j, with its time limiter.
struct SpringCircuit {
  std::string json;     ///< "circuit" of an upstream
  std::string timeout;  ///< JSON; empty: none is known
};

struct SpringWork {
  explicit SpringWork(Draft& drafted) : draft(drafted) {}

  Draft& draft;
  std::map<std::string, std::string> upstreams{};                ///< by URL
  std::map<std::string, std::string> limits{};                   ///< by what they are made of
  std::map<std::string, SpringCircuit, std::less<>> circuits{};  ///< by the name of the instance
  std::optional<std::uint64_t> connect_timeout{};
  std::string require{};  ///< of all routes, as JSON: what Spring Security demands
  std::string closed{};   ///< what of it cannot be had, so that all routes are closed
  Spot closed_spot{};
  std::map<std::string, std::size_t> weighted{};  ///< routes with a weight, by all that they have in common
  std::map<std::size_t, std::vector<std::pair<std::string, std::uint64_t>>> weights{};  ///< upstreams by such a route
};

/// Which requests a route is for.
struct SpringChoice {
  struct Path {
    std::string path;
    std::string matches{};  ///< "path_matches"; empty if the path says it
  };
  std::vector<Path> paths;
  std::vector<std::string> hosts;
  std::vector<std::string> methods;
  std::vector<std::string> client_ip;
  std::vector<std::pair<std::string, std::string>> headers;
  std::vector<std::pair<std::string, std::string>> query;
  std::string group;  ///< of routes that share their requests by weights; empty if it is in none
  std::uint64_t weight = 0;
};
/// What cannot be said is left out, so that the choice has more requests, and the route is closed.
void take_predicate(const SpringStep& step, SpringChoice& out, DraftEntry& route);

/// A member of Spring's configuration, whose names may be written as "default-filters", "defaultFilters" or
/// "default_filters".
const TreeNode& spring_member(const TreeNode& map, std::string_view key) noexcept;
/// The same at "a.b.c".
const TreeNode& spring_at(const TreeNode& map, std::string_view path) noexcept;
std::string spring_text(const TreeNode& map, std::string_view key, std::string_view otherwise = {});

/// "spring.security": who may use all routes.
void take_security(SpringWork& work, const TreeNode& document);
/// "resilience4j": limits, and circuits for the filters that name them.
void take_resilience4j(SpringWork& work, const TreeNode& document);
/// The filters of "bucket4j": limits, and routes for their URLs if there are no others.
void take_bucket4j(SpringWork& work, const TreeNode& document);

std::vector<SpringStep> steps_of(const TreeNode& list);
/// "5s", "PT5S", "500ms", "500" in milliseconds.
std::optional<std::uint64_t> spring_time(std::string_view text);
/// RequestRateLimiter.
void limit_requests(SpringWork& work, const SpringStep& filter, DraftEntry& route);
/// CircuitBreaker: "circuit" of the upstream.
void break_circuit(SpringWork& work, const SpringStep& filter, DraftEntry& route);
/// All of a route, in their order.
void take_filters(SpringWork& work, const std::vector<SpringStep>& filters, DraftEntry& route);
/// What could only be written when the path of the route was known.
void finish_filters(const std::string& path, DraftEntry& route);

}  // namespace headgate::translate
