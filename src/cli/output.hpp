#pragma once
// The end of what a command prints: it must have arrived.

namespace headgate::cli {

/// Sends on what was printed to stdout so far. False if it could not be written, now or before; the first time it says
/// so on stderr, unless its reader has closed the pipe, as `head` does.
[[nodiscard]] bool flush_output();

}  // namespace headgate::cli
