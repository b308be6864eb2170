#pragma once
// Files that the gateway writes: what `check` can tell of them before.

#include "config/build.hpp"

#include <filesystem>
#include <string>

namespace headgate::config {

/// Why a file cannot be written, and what helps. `why` empty: it can.
struct Unwritable {
  std::string why;
  std::string help = "let the user that headgate runs as write there";
};

/// Warns where the file at `target` cannot be written: if it is a directory (then `example` is a name in it), or as
/// why_not(file, its directory) says. Only a warning, because `check` may run as another user or on another machine.
/// `what`: "the log", "the pid file".
void check_written_file(Build& build, const Node& target, const std::string& what, const std::string& example,
                        Unwritable (*why_not)(const std::filesystem::path& file,
                                              const std::filesystem::path& directory));

}  // namespace headgate::config
