#pragma once
// Finds and reads the configuration file.

#include "headgate/config/load.hpp"
#include "headgate/config/read_config.hpp"
#include "headgate/core/result.hpp"

#include <optional>
#include <string>
#include <vector>

namespace headgate::cli {

/// Returns the file's text; empty after an error message on stderr.
std::optional<std::string> read_file(const std::string& path);

/// Returns the file's text, of at most 64 MiB; the error is a sentence without a full stop.
Result<std::string, std::string> read_whole(const std::string& path);

/// A configuration file.
struct ConfigFile {
  std::string path;
  std::string text;
  std::string directory() const;  ///< returns the base of relative paths in the file
};

/// Returns the file `given`, otherwise $HEADGATE_CONFIG, otherwise conf/headgate.json, otherwise
/// /etc/headgate/headgate.json. Empty after an error message on stderr that names every place.
std::optional<ConfigFile> read_source(const std::string& given);

/// The result of reading and checking a file; mistakes are printed to stderr. If the file cannot be used, there is no
/// config and `code` is the exit code.
struct LoadedFile {
  std::optional<config::Config> config;
  int exit_code = 0;
  std::vector<std::string> watched{};  ///< same as config::ReadConfig::watched
};
LoadedFile load_file(const std::string& given);

/// Does the same as load_file(), for a running process: returns the mistakes instead of printing them.
config::ReadConfig load_again(const std::string& given);

}  // namespace headgate::cli
