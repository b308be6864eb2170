#pragma once
// The requests that tests of HAProxy choose, as a route says them.

#include "translate/haproxy/work.hpp"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace headgate::translate {

/// What a route is for.
struct HaproxyRequests {
  std::string host;
  std::string path = "/*";
  std::string path_matches;  ///< empty: any
  std::vector<std::string> methods;
  std::vector<std::pair<std::string, std::string>> headers;  ///< JSON of values by field
  std::vector<std::string> client_ip;                        ///< blocks; empty: any
  std::vector<std::string> not_client_ip;                    ///< blocks whose addresses are left out

  bool operator==(const HaproxyRequests&) const = default;
};

/// Whether all paths of `inner` are of `outer`, too.
bool covers_path(const std::string& outer, const std::string& inner);
/// Whether all requests of `inner` are of `outer`, too, as far as paths and hosts say.
bool covers(const HaproxyRequests& outer, const HaproxyRequests& inner);
/// The requests that tests choose; nothing if a route cannot say that.
std::optional<std::vector<HaproxyRequests>> requests_of(const HaproxyTests& tests);
/// All requests that tests may choose, and perhaps others: for what must not let one of them in.
std::vector<HaproxyRequests> at_least(const HaproxyTests& tests);
/// Whether requests_of() has all requests that HAProxy chooses.
bool are_exact(const HaproxyTests& tests);

/// Puts them at the begin of a route, in place of those that it has.
void set_requests(DraftEntry& route, const HaproxyRequests& requests);

}  // namespace headgate::translate
