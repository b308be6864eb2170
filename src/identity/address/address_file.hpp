#pragma once
// Reads files of addresses, for as many blocks as a test wants.

#include "headgate/identity/address_blocks.hpp"

#include <cstddef>
#include <string_view>
#include <vector>

namespace headgate::identity {

/// As read_addresses(), with another bound.
Result<std::vector<Network>, AddressFileError> read_addresses(std::string_view text, std::size_t most);

}  // namespace headgate::identity
