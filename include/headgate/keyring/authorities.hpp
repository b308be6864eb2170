#pragma once
// Whether a file of certificate authorities is usable. `check` uses it, before anything is fetched.

#include "headgate/core/result.hpp"

#include <string>

namespace headgate::keyring {

/// Reads the PEM file as a fetch over https does. An empty path means the system's authorities. The error is a sentence
/// without its dot that begins with the path. Blocks as long as the disk does; any thread.
Result<void, std::string> check_authorities(const std::string& path);

}  // namespace headgate::keyring
