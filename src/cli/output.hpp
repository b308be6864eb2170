#pragma once
// Makes sure that the output of a command was written.

namespace headgate::cli {

/// Flushes stdout. Returns false if output could not be written, now or before; reports that on stderr the first time,
/// unless the reader has closed the pipe, like `head` does.
[[nodiscard]] bool flush_output();

}  // namespace headgate::cli
