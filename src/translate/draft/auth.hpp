#pragma once
// The auth service of a route, for the importers of all products.

#include "translate/draft/draft.hpp"

#include <string>
#include <vector>

namespace headgate::translate {

/// The settings that products have for an auth service.
struct DraftAuth {
  std::string url;
  std::vector<std::string> copy;    ///< response fields that are copied to the server
  std::vector<std::string> fields;  ///< request fields that the service receives; empty for all fields
  bool cookies = false;             ///< whether the client receives the service's cookies when it is admitted
  std::string timeout;              ///< JSON; empty for the default
};

/// Writes the service into the route. Closes the route if that is not possible, with a remark at `spot`. `what` is the
/// text at that place and begins with the product's word.
void set_auth(DraftEntry& route, const DraftAuth& auth, const Spot& spot, const std::string& what);

}  // namespace headgate::translate
