#pragma once
// The size of a limit whose count is a number in the caller's credential (limit::SizeFrom).

#include "headgate/gateway/exchange.hpp"

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

namespace headgate::gateway {

/// The compiled tiers of one limit by their number. Credentials name few different numbers, so each is compiled once
/// and kept as long as the limit. Any thread; nothing locks or waits.
class ToldSizes {
 public:
  static constexpr std::size_t kMax = 256;  ///< the number of sizes that can be kept

  ToldSizes() = default;
  ~ToldSizes();
  ToldSizes(const ToldSizes&) = delete;
  ToldSizes& operator=(const ToldSizes&) = delete;

  /// Returns the tier of this number, or null. Valid as long as this object.
  const CompiledTier* find(std::uint64_t number) const noexcept;
  /// Keeps the tier of this number and returns it, or the one that another thread kept first. Returns null, and leaves
  /// `tier` as it is, if there is no room.
  const CompiledTier* keep(std::uint64_t number, std::unique_ptr<const CompiledTier>& tier);

 private:
  struct Kept {
    std::uint64_t number;
    std::unique_ptr<const CompiledTier> tier;
  };
  static constexpr std::size_t kTries = 8;  // the slots that one number may take

  std::array<std::atomic<const Kept*>, kMax> slots_{};  // a slot that has been written does not change any more
};

/// Returns the tier of the number that the caller's credential names for this limit, which has a SizeFrom. Without a
/// number from 1 on, returns the tier of the configuration. Valid as long as the exchange.
const CompiledTier& told_size(Exchange& x, const CompiledLimit& limit);

}  // namespace headgate::gateway
