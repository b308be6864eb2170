#pragma once
// Makes a draft one that config::load accepts.

#include "draft.hpp"

#include <string>

namespace headgate::translate {

/// Adds what every file needs: a listener, a route. Then turns what the checker does not accept, such as a certificate
/// that is not on this machine, into comments with the checker's reason, until it accepts the rest. Returns the file.
std::string accepted(Draft& draft, const std::string& heading);

}  // namespace headgate::translate
