#pragma once
// Removes what config::load would reject from a draft.

#include "draft.hpp"

#include <string>

namespace headgate::translate {

/// Adds a listener and a route if the draft has none. Then turns every part that the checker rejects into a comment
/// with the checker's reason, until the checker accepts the rest. An example of such a part is a certificate that is
/// not on this machine. Returns the text of the file.
std::string accepted(Draft& draft, const std::string& heading);

}  // namespace headgate::translate
