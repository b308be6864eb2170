#pragma once
// Random numbers that depend only on the arguments of the choice. Only for policies.

#include "headgate/balance/policy.hpp"

namespace headgate::balance {

/// Spreads the bits of `value` (splitmix64).
constexpr std::uint64_t mixed(std::uint64_t value) noexcept {
  value += 0x9E37'79B9'7F4A'7C15;
  value = (value ^ (value >> 30)) * 0xBF58'476D'1CE4'E5B9;
  value = (value ^ (value >> 27)) * 0x94D0'49BB'1331'11EB;
  return value ^ (value >> 31);
}

/// A generator for one choice: the same arguments give the same numbers.
class PickRandom {
 public:
  explicit PickRandom(const PickArgs& ask) noexcept : state_(mixed(ask.turn ^ mixed(ask.seed))) {}
  /// Returns a number below `bound`, which is above 0 and below 2^32.
  std::uint64_t below(std::uint64_t bound) noexcept {
    state_ = mixed(state_);
    return (state_ >> 32) * bound >> 32;
  }

 private:
  std::uint64_t state_;
};

}  // namespace headgate::balance
