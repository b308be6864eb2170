#pragma once
// A key that exists, asked for where nobody else can read it: never on the command line, which every user of the
// machine sees in its list of processes, and which shells remember.

#include <optional>
#include <string>

namespace headgate::cli {

/// The key on stdin, less one line end; from a terminal after a prompt, and without echo. Nothing where there is none
/// or where no request could carry it (1 to 256 printable ASCII characters, no space at its ends): said on stderr.
std::optional<std::string> read_key();

}  // namespace headgate::cli
