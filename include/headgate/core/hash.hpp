#pragma once
// The keyed hash that names counters: 128 bits, with a random secret drawn at start. In memory a key is known only by
// its hash.

#include <cstdint>
#include <string_view>

namespace headgate {

/// 128 bits. Two keys with one hash share a counter; the probability is 2^-64 for billions of keys.
struct Hash {
  std::uint64_t low = 0;
  std::uint64_t high = 0;
  bool operator==(const Hash&) const = default;
};

/// XXH3-128 of `text` with `seed` and a secret. The secret is drawn from the system at first use, so nobody outside can
/// construct a collision. Any thread; about 10 ns for 32 bytes.
Hash keyed_hash(std::string_view text, std::uint64_t seed) noexcept;

/// SipHash-2-4 of `text` with `key`. Every process with the key gets the same digest. Without the key nobody can find
/// the text of a digest. Any thread; about 30 ns for 32 bytes.
std::uint64_t keyed_digest(std::string_view text, const Hash& key) noexcept;

/// Unkeyed 64-bit hash, the same in every process and version. For seeds and names, never for text that a caller chose.
std::uint64_t stable_hash(std::string_view text) noexcept;

}  // namespace headgate
