#pragma once
// Writes all waiting changes to the key file at once.

#include "headgate/core/time.hpp"
#include "headgate/identity/options.hpp"

#include <string>
#include <vector>

namespace headgate::services {

struct KeyFileResult {
  /// Reason why the file was not changed, a sentence without its full stop; "" if it has all changes.
  std::string failed;
  std::vector<bool> known_before;  ///< Whether the file had the key, for each change; empty after a failure.
};

/// Reads the file, changes it like identity::change_key_file(), and replaces it atomically under a lock. Blocks on the
/// disk. Any thread.
KeyFileResult write_keys(const std::string& file, const std::vector<identity::ApiKeyRecord>& changes, Instant now);

}  // namespace headgate::services
