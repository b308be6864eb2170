#pragma once
// Changes the text of a key file: keys are added and revoked, and the rest stays as people wrote it.

#include "headgate/core/time.hpp"
#include "headgate/identity/api_keys.hpp"

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace headgate::identity {

struct ChangedKeyFile {
  std::string text;
  bool changed = false;
  std::size_t keys = 0;            ///< how many the file has now
  std::vector<bool> known_before;  ///< of each change, whether the file had a record of this key
};

/// The key file `json` with these records. A record whose digest the file does not have comes to its end. One that is
/// revoked takes the place of a record that is not. Everything else of the file wins: what people wrote by hand stays.
/// Records that are past at `now` (see is_past) are taken out if anything else changes. The error is that of the file
/// as it is, or as it would be. Any thread; takes about 4 µs per key of the file.
Result<ChangedKeyFile, KeyFileError> change_key_file(std::string_view json, std::span<const ApiKeyRecord> changes,
                                                     Instant now);

}  // namespace headgate::identity
