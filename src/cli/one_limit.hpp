#pragma once
// A configuration with one limit, made from options alone. Used by `headgate proxy` and `headgate simulate`.

#include "headgate/config/load.hpp"

#include <string>

namespace headgate::cli {

/// Returns a JSON string.
std::string quoted(const std::string& text);

/// Returns the member "limits" with one limit, "default", as a line of a file.
std::string limit_member(const std::string& rate, const std::string& per);

/// Prints the mistakes of a configuration made from options; they have no places in a file.
void tell_mistakes(const config::Loaded& loaded);

}  // namespace headgate::cli
