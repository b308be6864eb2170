#pragma once
// Edits the text of a key file: adds and revokes keys, and leaves the rest as it was written. Used by services.

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
  std::size_t keys = 0;            ///< current number of keys in the file
  std::vector<bool> known_before;  ///< for each change, true if the file had a record of this key
};

/// Returns the key file `json` with these changes. A record whose digest is not in the file is appended. A revoked
/// record replaces a record that is not revoked. In all other cases the record in the file stays, so that manual edits
/// are kept. Records for which is_past() is true at `now` are removed if anything else changes. The error describes a
/// mistake in the file before or after the changes. Any thread; takes about 4 µs per key of the file.
Result<ChangedKeyFile, JsonMistake> change_key_file(std::string_view json, std::span<const ApiKeyRecord> changes,
                                                    Instant now);

}  // namespace headgate::identity
