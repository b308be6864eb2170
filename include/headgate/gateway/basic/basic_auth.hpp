#pragma once
// Basic authentication of a route. config fills the options; a compiled route has the rest.

#include <cstddef>
#include <memory>
#include <string>

namespace headgate::gateway {

/// The options of a route.
struct BasicAuth {
  std::size_t file = 0;              ///< the user file: an index of IdentityOptions::user_files
  std::string realm = "restricted";  ///< the realm that a browser shows; no control characters
  bool pass_on = false;              ///< whether the server gets the password
};

/// The options of a compiled route. Immutable; any thread.
struct CompiledBasic {
  const BasicAuth* options = nullptr;
  std::string challenge;  ///< the value of WWW-Authenticate
};

std::shared_ptr<const CompiledBasic> compile_basic(const BasicAuth& basic);

}  // namespace headgate::gateway
