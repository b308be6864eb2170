#pragma once
// Checks whether a network contains an address, in IPv4 or IPv6 notation. Used by the walk along the hops.

#include "address_bits.hpp"

#include "headgate/identity/options.hpp"

#include <span>

namespace headgate::identity {

/// Does the same as the public `contains`, for an address in this form.
bool contains(std::span<const Network> networks, const AddressBits& address) noexcept;

}  // namespace headgate::identity
