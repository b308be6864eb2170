#pragma once
// Basic authentication of a route, whichever product's words it was written in.

#include "translate/draft/draft.hpp"

#include <string>

namespace headgate::translate {

/// As the products have it.
struct DraftBasic {
  std::string file;   ///< of users; empty: they are not in a file
  std::string realm;  ///< empty: the default
  bool pass_on = true;
};

/// Writes it into the route. Where it cannot be, the route is closed, which is said at `spot`; `what` stands there and
/// begins with the product's word.
void set_basic(DraftEntry& route, const DraftBasic& basic, const Spot& spot, const std::string& what);

}  // namespace headgate::translate
