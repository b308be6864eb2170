#pragma once
// Reads an existing key from stdin. A key must not be on the command line: every user of the machine can see it in the
// process list, and shells store it in their history.

#include <optional>
#include <string>

namespace headgate::cli {

/// The key on stdin, without one line end. On a terminal there is a prompt and no echo. Nothing, after an error message
/// on stderr, if there is no key or no request can carry it (1 to 256 printable ASCII characters, no space at its
/// ends).
std::optional<std::string> read_key();

}  // namespace headgate::cli
