#pragma once
// Compression of a route, for the importers of all products.

#include "translate/draft/draft.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace headgate::translate {

/// The settings that products have for compression.
struct DraftCompress {
  std::vector<std::string> encodings;      ///< in order of preference; encodings that headgate lacks are left out
  std::vector<std::string> types;          ///< empty for the default; "*" for all types
  std::optional<std::uint64_t> min_bytes;  ///< unset for the default
  std::optional<std::uint64_t> level;  ///< unset for the default; levels above headgate's largest become the largest
};

/// Writes the settings into the route. A remark at `spot` reports what is not possible; `what` is the text at that
/// place.
void set_compress(DraftEntry& route, const DraftCompress& compress, const Spot& spot, const std::string& what);

}  // namespace headgate::translate
