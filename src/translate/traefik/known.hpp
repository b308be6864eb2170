#pragma once
// The two tables of the Traefik importer. Names are compared without case, because labels have them in lower case.

#include "translate/words.hpp"

namespace headgate::translate {

/// Returns whether rules may use a matcher of this name.
bool knows_matcher(std::string_view name);
/// Returns the row of a middleware, or null.
const ImportWord* traefik_middleware(std::string_view name);

}  // namespace headgate::translate
