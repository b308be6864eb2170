#pragma once
// Basic authentication of a route, for the importers of all products.

#include "translate/draft/draft.hpp"

#include <string>

namespace headgate::translate {

/// The settings that products have for Basic authentication.
struct DraftBasic {
  std::string file;   ///< file of users; empty if the users are not in a file
  std::string realm;  ///< empty for the default
  bool pass_on = true;
};

/// Writes the users into the route. Closes the route if that is not possible, with a remark at `spot`. `what` is the
/// text at that place and begins with the product's word.
void set_basic(DraftEntry& route, const DraftBasic& basic, const Spot& spot, const std::string& what);

}  // namespace headgate::translate
