#pragma once
// Sources of random numbers, which are passed to code as arguments. With the same seed, that code makes the same
// decisions again. Used by most modules.

#include "headgate/core/hex.hpp"

#include <cstdint>
#include <limits>
#include <random>
#include <string>

namespace headgate {

/// A generator of random bits for the standard library's distributions. Not for secrets. One thread.
class Random {
 public:
  using result_type = std::uint64_t;

  explicit Random(std::uint64_t seed) : bits_(seed) {}
  /// Returns a generator seeded by the operating system, for draws that nobody should foresee.
  static Random of_the_system() {
    std::random_device device;
    return Random(device() | std::uint64_t{device()} << 32U);
  }

  static constexpr result_type min() noexcept { return 0; }
  static constexpr result_type max() noexcept { return std::numeric_limits<result_type>::max(); }
  result_type operator()() { return bits_(); }

  /// Returns a random number that is never 0, for ids.
  std::uint64_t id() {
    while (true)
      if (const auto drawn = bits_()) return drawn;
  }
  /// Returns a uniformly distributed number from 0 to below 1.
  double even() { return static_cast<double>(bits_() >> 11U) * 0x1p-53; }

 private:
  std::mt19937_64 bits_;
};

/// Returns 128 bits from the operating system as 32 hexadecimal digits, for a unique name.
inline std::string random_name() {
  std::random_device device;
  std::string out;
  for (int byte = 0; byte < 16; ++byte) append_hex(out, static_cast<unsigned char>(device()));
  return out;
}

}  // namespace headgate
