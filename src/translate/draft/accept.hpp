#pragma once
// Removes what config::load would reject from a draft.

#include "draft.hpp"

#include <string>

namespace headgate::translate {

/// Adds a listener and a route if there is none. Then turns each part that the checker rejects, such as a certificate
/// that is not on this machine, into a comment with the checker's reason, until the rest is accepted. Returns the text
/// of the file.
std::string accepted(Draft& draft, const std::string& heading);

}  // namespace headgate::translate
