#pragma once
// The result of a reload, as it is reported to operators.

#include "headgate/config/diagnostic.hpp"
#include "headgate/services/limit_shape.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace headgate::admin {

/// The source of a reload.
enum class ReloadFrom : std::uint8_t {
  file,      ///< The file as it is now.
  previous,  ///< The configuration that was in force before the current one.
  candidate  ///< The candidate.
};

/// Changes of the addresses for clients.
struct ChangedAddresses {
  std::vector<std::string> added, removed, changed;
};

/// The result of a reload.
struct ReloadResult {
  bool applied = false;
  ReloadFrom from = ReloadFrom::file;
  bool no_previous = false;  ///< True if nothing was done because there is no previous configuration.
  std::string file;          ///< Path of the configuration; empty if there is no file.
  /// Mistakes that prevented the reload, and warnings. The line is 0 if the place is unknown.
  std::vector<config::Diagnostic> mistakes;
  std::vector<std::string> changed;       ///< Top-level keys of the file whose values have changed.
  ChangedAddresses listeners;             ///< Changes of the addresses for clients.
  std::vector<std::string> waiting;       ///< Keys whose change needs a restart.
  std::vector<services::BegunAnew> anew;  ///< Limits whose counters are reset.
};

}  // namespace headgate::admin
