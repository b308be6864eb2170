#pragma once
// One write of the key file, with all that waits for it.

#include "headgate/core/time.hpp"
#include "headgate/identity/options.hpp"

#include <string>
#include <vector>

namespace headgate::services {

struct KeyFileResult {
  std::string failed;              ///< why the file is as it was, a sentence without its dot; "": it has all of them
  std::vector<bool> known_before;  ///< of each change, whether the file had the key; empty after a failure
};

/// Reads the file, changes it as identity::change_key_file() does and replaces it in one step, while nobody else does
/// the same. Waits for the disk. Any thread.
KeyFileResult write_keys(const std::string& file, const std::vector<identity::ApiKeyRecord>& changes, Instant now);

}  // namespace headgate::services
