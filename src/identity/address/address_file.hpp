#pragma once
// Reads files of addresses. Tests can set the maximum number of blocks.

#include "headgate/identity/address_blocks.hpp"

#include <cstddef>
#include <string_view>
#include <vector>

namespace headgate::identity {

/// Does the same as read_addresses(), with `most` as the maximum number of blocks.
Result<std::vector<Network>, AddressFileError> read_addresses(std::string_view text, std::size_t most);

}  // namespace headgate::identity
