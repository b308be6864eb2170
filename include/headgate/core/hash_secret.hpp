#pragma once
// The secret of keyed_hash(), for a process that takes over the counters of another one. Used by server.

#include <array>
#include <span>

namespace headgate {

using HashSecret = std::array<unsigned char, 192>;

/// Returns the secret of this process. Anybody who knows it can construct keys that share a counter, so it may only be
/// passed to the next process of this gateway. Any thread.
const HashSecret& hash_secret() noexcept;

/// Uses the secret of the previous process. Returns false if this process has hashed something already or the size is
/// wrong. Call it before any thread starts.
bool adopt_hash_secret(std::span<const unsigned char> secret) noexcept;

}  // namespace headgate
