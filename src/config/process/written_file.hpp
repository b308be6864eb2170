#pragma once
// Files that the gateway writes, and what `check` can find out about them beforehand.

#include "config/build.hpp"

#include <filesystem>
#include <string>

namespace headgate::config {

/// The reason why a file cannot be written, and what to do. `why` is empty if the file can be written.
struct Unwritable {
  std::string why;
  std::string help = "let the user that headgate runs as write there";
};

/// Warns if the file at `target` cannot be written. If `target` is a directory, the help suggests the file `example` in
/// it; otherwise why_not(file, its directory) gives the reason. This is only a warning, because `check` may run as
/// another user or on another machine. `what` is the subject: "the log", "the pid file".
void check_written_file(Build& build, const Node& target, const std::string& what, const std::string& example,
                        Unwritable (*why_not)(const std::filesystem::path& file,
                                              const std::filesystem::path& directory));

}  // namespace headgate::config
