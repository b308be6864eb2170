#pragma once
// Reads the text of a key from stdin. Used by `headgate keys`.

#include <optional>
#include <string>

namespace headgate::cli {

/// Reads the key from stdin, and removes one line end. A terminal shows a prompt and no echo. Keys are not taken from
/// the command line: every user of the machine can see it in the process list, and shells store it in their history.
/// Empty, after an error message on stderr, if there is no key or if it cannot be sent in a request. A key is 1 to 256
/// printable ASCII characters, with no space at its ends.
std::optional<std::string> read_key();

}  // namespace headgate::cli
