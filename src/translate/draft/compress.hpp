#pragma once
// What a route compresses, whichever product's words it was written in.

#include "translate/draft/draft.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace headgate::translate {

/// As the products have it.
struct DraftCompress {
  std::vector<std::string> encodings;      ///< in the order in which they are preferred; others than ours are left out
  std::vector<std::string> types;          ///< empty: the default; "*" for all
  std::optional<std::uint64_t> min_bytes;  ///< not set: the default
  std::optional<std::uint64_t> level;      ///< the same; a larger one than ours becomes the largest
};

/// Writes it into the route. What cannot be so is said at `spot`; `what` stands there.
void set_compress(DraftEntry& route, const DraftCompress& compress, const Spot& spot, const std::string& what);

}  // namespace headgate::translate
