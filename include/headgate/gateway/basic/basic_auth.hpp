#pragma once
// Basic authentication of a route: whose passwords it takes. config fills the options; a compiled route has the rest.

#include <cstddef>
#include <memory>
#include <string>

namespace headgate::gateway {

/// As a user writes it.
struct BasicAuth {
  std::size_t file = 0;              ///< index of IdentityOptions::user_files
  std::string realm = "restricted";  ///< what a browser shows of the place; no control characters
  bool pass_on = false;              ///< whether the server gets the password
};

/// The same of a compiled route. Immutable; any thread.
struct CompiledBasic {
  const BasicAuth* options = nullptr;
  std::string challenge;  ///< the value of WWW-Authenticate
};

std::shared_ptr<const CompiledBasic> compile_basic(const BasicAuth& basic);

}  // namespace headgate::gateway
