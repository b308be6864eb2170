#pragma once
// The records of a key file, and where each of them stands in its text.

#include "headgate/identity/api_keys.hpp"

#include <cstddef>
#include <string_view>
#include <vector>

namespace headgate::identity {

/// From its opening brace to behind its closing one.
struct KeyPlace {
  std::size_t begin = 0;
  std::size_t end = 0;
};

struct PlacedKeys {
  std::vector<ApiKeyRecord> records;
  std::vector<KeyPlace> places;  ///< one for each record
};

/// As read_api_keys().
Result<PlacedKeys, KeyFileError> read_placed_keys(std::string_view json);

}  // namespace headgate::identity
