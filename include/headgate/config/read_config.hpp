#pragma once
// The result of reading a configuration again while it is in use.

#include "headgate/config/config.hpp"
#include "headgate/config/diagnostic.hpp"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace headgate::config {

/// A configuration that was read again.
struct ReadConfig {
  std::optional<Config> config;        ///< the configuration; empty if it cannot be used
  std::string file;                    ///< path of the file; empty if there is none
  std::vector<Diagnostic> mistakes;    ///< mistakes, including warnings; line 0 marks a mistake without a place
  std::vector<std::string> watched{};  ///< the file itself, then the files of Loaded::watched; empty if unknown
};
/// Reads and checks the configuration again. This takes long with many routes, so it is called on a thread of its own
/// and never twice at the same time. It must not use data that other threads change.
using ReadAgain = std::function<ReadConfig()>;

}  // namespace headgate::config
