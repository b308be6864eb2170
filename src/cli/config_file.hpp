#pragma once
// Finding and reading the configuration file.

#include "headgate/config/load.hpp"
#include "headgate/config/read_config.hpp"
#include "headgate/core/result.hpp"

#include <optional>
#include <string>
#include <vector>

namespace headgate::cli {

/// The file's text, or nothing after an error message on stderr.
std::optional<std::string> read_file(const std::string& path);

/// The file's text, of at most 64 MiB; or why there is none, a sentence without its dot.
Result<std::string, std::string> read_whole(const std::string& path);

/// A configuration file.
struct ConfigFile {
  std::string path;
  std::string text;
  std::string directory() const;  ///< where relative paths in the file begin
};

/// The file `given`, else the file $HEADGATE_CONFIG, else conf/headgate.json, else /etc/headgate/headgate.json. Nothing
/// after an error message on stderr that names every place.
std::optional<ConfigFile> read_source(const std::string& given);

/// Reads and checks the file; mistakes go to stderr. If it cannot be used: no config, and the exit code.
struct LoadedFile {
  std::optional<config::Config> config;
  int exit_code = 0;
  std::vector<std::string> watched{};  ///< as config::ReadConfig::watched
};
LoadedFile load_file(const std::string& given);

/// Like load_file, but for a running process: the mistakes are returned.
config::ReadConfig load_again(const std::string& given);

}  // namespace headgate::cli
