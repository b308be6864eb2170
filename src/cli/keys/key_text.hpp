#pragma once
// Reads the text of a key from stdin. Used by `headgate keys`.

#include <optional>
#include <string>

namespace headgate::cli {

/// Returns the key on stdin, without one line end. Keys are not taken from the command line, because every user of the
/// machine can see a command line in the process list, and shells store it in their history. On a terminal there is a
/// prompt and no echo. Empty, after an error message on stderr, if there is no key or no request can carry it (1 to 256
/// printable ASCII characters, no space at its ends).
std::optional<std::string> read_key();

}  // namespace headgate::cli
