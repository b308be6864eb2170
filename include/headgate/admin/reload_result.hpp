#pragma once
// What a reload did, as operators are told.

#include "headgate/config/diagnostic.hpp"
#include "headgate/services/limit_shape.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace headgate::admin {

/// What a reload takes.
enum class ReloadFrom : std::uint8_t {
  file,      ///< the file, as it is now
  previous,  ///< what was in force before the configuration in force
  candidate  ///< what decided beside it
};

/// How the addresses for clients have changed.
struct ChangedAddresses {
  std::vector<std::string> added, removed, changed;
};

/// What a reload did.
struct ReloadResult {
  bool applied = false;
  ReloadFrom from = ReloadFrom::file;
  bool no_previous = false;  ///< nothing was done: there is none
  std::string file;          ///< empty: there is none
  std::vector<config::Diagnostic>
      mistakes;                           ///< why it was not applied, and warnings; line 0: a mistake without a place
  std::vector<std::string> changed;       ///< keys at the top of the file
  ChangedAddresses listeners;             ///< addresses for clients
  std::vector<std::string> waiting;       ///< keys whose change needs a restart
  std::vector<services::BegunAnew> anew;  ///< limits whose counters are forgotten
};

}  // namespace headgate::admin
