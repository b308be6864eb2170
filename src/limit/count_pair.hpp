#pragma once
// Two counts in the numbers of a State. Used by the algorithms that would need more numbers otherwise.

#include <cstdint>

namespace headgate::limit {

constexpr std::int64_t lowest_bits(std::int64_t number, int bits) noexcept {
  return number & ((std::int64_t{1} << bits) - 1);
}

/// Two numbers from 0 to below 2^44, such as counts of up to 10^13. They are stored as 63 bits, which suffice for a
/// first number below 2^32 and a second one below 2^31, and 25 bits more, which are 0 for such numbers.
struct CountPair {
  std::int64_t first = 0;
  std::int64_t second = 0;

  static constexpr int kFirstBits = 32;
  static constexpr int kSecondBits = 31;
  static constexpr int kMoreOfFirst = 12;

  static constexpr CountPair in(std::int64_t usual, std::int64_t more) noexcept {
    return {lowest_bits(usual, kFirstBits) | lowest_bits(more, kMoreOfFirst) << kFirstBits,
            usual >> kFirstBits | more >> kMoreOfFirst << kSecondBits};
  }
  constexpr std::int64_t usual() const noexcept {
    return lowest_bits(first, kFirstBits) | lowest_bits(second, kSecondBits) << kFirstBits;
  }
  constexpr std::int64_t more() const noexcept { return first >> kFirstBits | second >> kSecondBits << kMoreOfFirst; }
};

}  // namespace headgate::limit
