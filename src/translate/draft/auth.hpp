#pragma once
// The auth service of a route, whichever product's words it was written in.

#include "translate/draft/draft.hpp"

#include <string>
#include <vector>

namespace headgate::translate {

/// As the products have it.
struct DraftAuth {
  std::string url;
  std::vector<std::string> copy;    ///< fields of its answer for the server
  std::vector<std::string> fields;  ///< of the request, that it gets; empty: all
  bool cookies = false;             ///< the client gets those of an admission
  std::string timeout;              ///< JSON; empty: the default
};

/// Writes it into the route. Where it cannot be, the route is closed, which is said at `spot`; `what` stands there and
/// begins with the product's word.
void set_auth(DraftEntry& route, const DraftAuth& auth, const Spot& spot, const std::string& what);

}  // namespace headgate::translate
