#pragma once
// The hashes of headgate. The keyed hash names counters: 128 bits, with a random secret drawn at startup. In memory a
// key is known only by its hash. Used by limit and most other modules.

#include <cstdint>
#include <string_view>

namespace headgate {

/// A hash of 128 bits. Two keys with the same hash share a counter; the probability is 2^-64 for billions of keys.
struct Hash {
  std::uint64_t low = 0;
  std::uint64_t high = 0;
  bool operator==(const Hash&) const = default;
};

/// Returns XXH3-128 of `text` with `seed` and a secret. The secret is drawn from the system at first use, so nobody
/// outside can construct a collision. Any thread; about 10 ns for 32 bytes.
Hash keyed_hash(std::string_view text, std::uint64_t seed) noexcept;

/// Returns SipHash-2-4 of `text` with `key`. Every process with the key gets the same digest. Without the key nobody
/// can find the text of a digest. Any thread; about 30 ns for 32 bytes.
std::uint64_t keyed_digest(std::string_view text, const Hash& key) noexcept;

/// Returns an unkeyed 64-bit hash, the same in every process and version. For seeds and names, never for text from a
/// caller.
std::uint64_t stable_hash(std::string_view text) noexcept;

}  // namespace headgate
