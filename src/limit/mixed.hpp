#pragma once
// A mixing function that makes similar numbers look random.

#include <cstdint>

namespace headgate::limit {

/// Applies the finalizer of SplitMix64 (Steele, Lea and Flood, 2014): adjacent numbers become unrelated ones.
inline std::uint64_t mixed(std::uint64_t number) noexcept {
  number += 0x9E3779B97F4A7C15;
  number = (number ^ (number >> 30)) * 0xBF58476D1CE4E5B9;
  number = (number ^ (number >> 27)) * 0x94D049BB133111EB;
  return number ^ (number >> 31);
}

}  // namespace headgate::limit
