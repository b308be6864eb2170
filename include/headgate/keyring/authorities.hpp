#pragma once
// Whether a file of certificate authorities can be used: what `check` asks before anything is fetched.

#include "headgate/core/result.hpp"

#include <string>

namespace headgate::keyring {

/// Reads the PEM file as a fetch over https would; an empty path means the system's authorities. The error is a
/// sentence without its dot that begins with the path. Blocks for as long as the disk takes; any thread.
Result<void, std::string> check_authorities(const std::string& path);

}  // namespace headgate::keyring
