#pragma once
// Whether an address lies in a network, whichever way either is written. Used by the walk along the hops.

#include "address_bits.hpp"

#include "headgate/identity/options.hpp"

#include <span>

namespace headgate::identity {

/// As the public `contains`.
bool contains(std::span<const Network> networks, const AddressBits& address) noexcept;

}  // namespace headgate::identity
