#pragma once
// Decides which lines of the access log are left out under a flood. Shared by all workers.

#include "headgate/core/time.hpp"

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace headgate::observe {

/// Records the keys that were refused last, each in one of kPlaces places. If two keys share a place, the later one
/// replaces the other, whose next refusal then gets a line again. So a collision can only lead to more lines. Any
/// thread; no lock.
class LeftOut {
 public:
  static constexpr std::size_t kPlaces = 8192;

  /// Counts the refusal and returns an empty value if its line is to be left out. Otherwise returns how many refusals
  /// of this key were left out since its last line.
  std::optional<std::uint64_t> refusal(std::uint64_t key, Instant at, Duration every) noexcept;
  void count_ok() noexcept { ok_.fetch_add(1, std::memory_order_relaxed); }

  std::uint64_t ok() const noexcept { return ok_.load(std::memory_order_relaxed); }
  std::uint64_t refusals() const noexcept { return refusals_.load(std::memory_order_relaxed); }

 private:
  struct Place {
    std::atomic<std::uint64_t> key_and_time{0};  // 32 bits of the key's hash, 32 bits of milliseconds
    std::atomic<std::uint64_t> left_out{0};
  };
  std::array<Place, kPlaces> places_;
  std::atomic<std::uint64_t> ok_{0};
  std::atomic<std::uint64_t> refusals_{0};
};

}  // namespace headgate::observe
