#include "left_out.hpp"

#include <chrono>

namespace headgate::observe {

std::optional<std::uint64_t> LeftOut::refusal(std::uint64_t key, Instant at, Duration every) noexcept {
  constexpr auto order = std::memory_order_relaxed;
  constexpr std::uint64_t kTimeBits = 32;
  auto& place = places_[key % kPlaces];
  const auto tag = (key >> kTimeBits) | 1;  // A tag is never 0, because 0 marks an empty place.
  const auto ms =
      static_cast<std::uint32_t>(std::chrono::duration_cast<std::chrono::milliseconds>(at.time_since_epoch()).count());
  auto known = place.key_and_time.load(order);
  while (true) {
    const bool same = known >> kTimeBits == tag;
    const auto since = static_cast<std::uint32_t>(ms - static_cast<std::uint32_t>(known));
    if (same && std::chrono::milliseconds(since) < every) {
      place.left_out.fetch_add(1, order);
      refusals_.fetch_add(1, order);
      return std::nullopt;
    }
    if (!place.key_and_time.compare_exchange_weak(known, tag << kTimeBits | ms, order)) continue;
    const auto before = place.left_out.exchange(0, order);
    return same ? before : 0;
  }
}

}  // namespace headgate::observe
