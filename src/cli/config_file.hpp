#pragma once
// Finding and reading the configuration file.

#include "headgate/config/load.hpp"

#include <optional>
#include <string>

namespace headgate::cli {

/// `given`, else $HEADGATE_CONFIG, else conf/headgate.json, else /etc/headgate/headgate.json.
std::string config_path(const std::string& given);

/// The file's text, or nothing after a complaint on stderr.
std::optional<std::string> read_file(const std::string& path);

/// Reads and checks; mistakes go to stderr. Nothing and the exit code where it cannot be used.
struct Outcome {
  std::optional<config::Config> config;
  int exit_code = 0;
};
Outcome load_file(const std::string& given);

/// As load_file in a running process: mistakes go to the event log, and nothing is said to have changed.
std::optional<config::Config> load_again(const std::string& given);

}  // namespace headgate::cli
