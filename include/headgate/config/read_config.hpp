#pragma once
// A configuration that is read again while it is in use.

#include "headgate/config/config.hpp"
#include "headgate/config/diagnostic.hpp"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace headgate::config {

/// A configuration that was read again.
struct ReadConfig {
  std::optional<Config> config;        ///< absent: it cannot be used
  std::string file;                    ///< empty: there is no file
  std::vector<Diagnostic> mistakes;    ///< also warnings; line 0: a mistake without a place
  std::vector<std::string> watched{};  ///< the file itself, then as Loaded::watched; empty: unknown
};
/// Reads and checks the configuration again. Takes long with many routes, so it is called on a thread of its own, and
/// never twice at the same time: it must use nothing that other threads change.
using ReadAgain = std::function<ReadConfig()>;

}  // namespace headgate::config
