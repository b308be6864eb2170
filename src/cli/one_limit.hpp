#pragma once
// A configuration of one limit, from options alone. Used by `headgate proxy` and `headgate simulate`.

#include "headgate/config/load.hpp"

#include <string>

namespace headgate::cli {

/// A string of JSON.
std::string quoted(const std::string& text);

/// The member "limits" with one limit, "default", as a line of a file.
std::string limit_member(const std::string& rate, const std::string& per);

/// Prints the mistakes of such a file; they have no places.
void tell_mistakes(const config::Loaded& loaded);

}  // namespace headgate::cli
