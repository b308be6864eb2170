#pragma once
// The secret of keyed_hash(), for a process that takes over what another one has counted.

#include <array>
#include <span>

namespace headgate {

using HashSecret = std::array<unsigned char, 192>;

/// The secret of this process. Whoever knows it can construct keys that share a counter: it goes to the next process of
/// this gateway, and nowhere else. Any thread.
const HashSecret& hash_secret() noexcept;

/// Uses the secret of the process before this one. False if this process has hashed something already, or the size is
/// another. Before any thread starts.
bool adopt_hash_secret(std::span<const unsigned char> secret) noexcept;

}  // namespace headgate
