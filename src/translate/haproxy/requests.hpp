#pragma once
// Converts tests of HAProxy into conditions of routes.

#include "translate/haproxy/work.hpp"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace headgate::translate {

/// The conditions of a route.
struct HaproxyRequests {
  std::string host;
  std::string path = "/*";
  std::string path_matches;  ///< empty for any path
  std::vector<std::string> methods;
  std::vector<std::pair<std::string, std::string>> headers;  ///< JSON of the values by field
  std::vector<std::string> client_ip;                        ///< address blocks; empty for any address
  std::vector<std::string> not_client_ip;                    ///< address blocks that are excluded

  bool operator==(const HaproxyRequests&) const = default;
};

/// Returns whether `outer` covers all paths of `inner`.
bool covers_path(const std::string& outer, const std::string& inner);
/// Returns whether `outer` covers all requests of `inner`, judged by paths and hosts.
bool covers(const HaproxyRequests& outer, const HaproxyRequests& inner);
/// Returns conditions that match exactly the requests of the tests, as far as routes can compare. Returns nothing if
/// routes cannot express them.
std::optional<std::vector<HaproxyRequests>> requests_of(const HaproxyTests& tests);
/// Returns conditions that match all requests of the tests, and perhaps more. Used for rules by which none of these
/// requests may slip.
std::vector<HaproxyRequests> at_least(const HaproxyTests& tests);
/// Returns whether requests_of() covers exactly the requests that HAProxy matches.
bool are_exact(const HaproxyTests& tests);

/// Replaces the conditions of a route. They become its first keys.
void set_requests(DraftEntry& route, const HaproxyRequests& requests);

}  // namespace headgate::translate
