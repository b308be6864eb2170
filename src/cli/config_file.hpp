#pragma once
// Finding and reading the configuration file.

#include "headgate/config/load.hpp"

#include <optional>
#include <string>

namespace headgate::cli {

/// The file's text, or nothing after a complaint on stderr.
std::optional<std::string> read_file(const std::string& path);

/// A configuration file.
struct Source {
  std::string path;
  std::string text;
  std::string directory() const;  ///< where its own relative paths begin
};

/// The file `given`, else that of $HEADGATE_CONFIG, else conf/headgate.json, else /etc/headgate/headgate.json. Nothing
/// after a complaint on stderr that names every place looked at.
std::optional<Source> read_source(const std::string& given);

/// Reads and checks; mistakes go to stderr. Nothing and the exit code where it cannot be used.
struct Outcome {
  std::optional<config::Config> config;
  int exit_code = 0;
};
Outcome load_file(const std::string& given);

/// As load_file in a running process: mistakes go to the event log, and nothing is said to have changed.
std::optional<config::Config> load_again(const std::string& given);

}  // namespace headgate::cli
