#pragma once
// The records of a key file, with the position of each in its text.

#include "headgate/identity/api_keys.hpp"

#include <cstddef>
#include <string_view>
#include <vector>

namespace headgate::identity {

/// The position of a record, from its opening brace to just after its closing brace.
struct KeyPlace {
  std::size_t begin = 0;
  std::size_t end = 0;
};

struct PlacedKeys {
  std::vector<ApiKeyRecord> records;
  std::vector<KeyPlace> places;  ///< the position of each record
};

/// Does the same as read_api_keys(), and also returns the positions.
Result<PlacedKeys, JsonMistake> read_placed_keys(std::string_view json);

}  // namespace headgate::identity
