#pragma once
// Chooses the upstream of a request whose route splits its requests.

#include "headgate/gateway/exchange.hpp"

#include <cstdint>
#include <span>
#include <string_view>

namespace headgate::gateway {

/// Returns the share for this key, which is the same on every gateway and after every restart. Each share gets keys in
/// proportion to its weight. If the weight of a share grows, no key leaves this share. A new share takes the same
/// fraction of keys from each other share (weighted rendezvous hashing). At least one weight must be above 0.
std::size_t share_of_key(std::span<const SplitShare> shares, std::string_view key) noexcept;

/// Returns a random share. `random` must be evenly distributed over all 64-bit values.
std::size_t share_by_chance(std::span<const SplitShare> shares, std::uint64_t random) noexcept;

/// Returns whether the share of `x` is chosen at random.
bool is_by_chance(const Exchange& x, const Split& split);

/// Sets the route of `x` to one with the same plan and another upstream.
void change_route(Exchange& x, const Route& chosen);

}  // namespace headgate::gateway
