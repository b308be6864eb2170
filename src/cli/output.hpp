#pragma once
// Makes sure that the output of a command was written.

namespace headgate::cli {

/// Flushes stdout. Returns false if output could not be written, by this call or before. The first time, reports that
/// on stderr, unless the reader has closed the pipe, as `head` does.
[[nodiscard]] bool flush_output();

}  // namespace headgate::cli
