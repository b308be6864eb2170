#pragma once
// The keyed hash under which counters are kept. 128 bits with a secret drawn at start: a key is known by its hash
// alone.

#include <cstdint>
#include <string_view>

namespace headgate {

/// 128 bits; two keys with one hash share a counter, at odds of 2^-64 for billions of keys.
struct Hash {
  std::uint64_t low = 0;
  std::uint64_t high = 0;
  bool operator==(const Hash&) const = default;
};

/// XXH3-128 of `text` under a secret drawn from the system at first use (so nobody outside can aim for a collision),
/// set apart by `seed`. Any thread; about 10 ns for 32 bytes.
Hash keyed_hash(std::string_view text, std::uint64_t seed) noexcept;

/// SipHash-2-4 of `text` under `key`: the same in every process that has the key, and nobody without it can tell whose
/// text a digest is. Any thread; about 30 ns for 32 bytes.
std::uint64_t keyed_digest(std::string_view text, const Hash& key) noexcept;

/// Unkeyed 64-bit hash, the same in every process and version: for seeds and names, never for what a caller chose.
std::uint64_t stable_hash(std::string_view text) noexcept;

}  // namespace headgate
