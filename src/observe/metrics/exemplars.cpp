#include "headgate/observe/exemplars.hpp"

#include <chrono>
#include <cstring>

namespace headgate::observe {

// Stores the version as an odd number first, and then each word with release order. So a reader that sees a new word
// also sees that version or a later one.
void Exemplars::record(std::size_t bucket, std::string_view trace_id, Duration value, Instant when) noexcept {
  if (trace_id.size() != kDigits || bucket >= kMax) return;
  auto& cell = cells_[bucket];
  const auto version = cell.version.load(std::memory_order_relaxed);
  cell.version.store(version + 1, std::memory_order_relaxed);
  std::array<std::uint64_t, kWords> words{};
  std::memcpy(words.data(), trace_id.data(), kDigits);
  for (std::size_t i = 0; i < kWords; ++i) cell.id[i].store(words[i], std::memory_order_release);
  cell.value.store(value.count(), std::memory_order_release);
  cell.when.store(when.time_since_epoch().count(), std::memory_order_release);
  cell.version.store(version + 2, std::memory_order_release);
}

std::optional<Exemplar> Exemplars::read(std::size_t bucket) const {
  const auto& cell = cells_[bucket];
  const auto before = cell.version.load(std::memory_order_acquire);
  if (before == 0 || before % 2 != 0) return std::nullopt;
  std::array<std::uint64_t, kWords> words{};
  for (std::size_t i = 0; i < kWords; ++i) words[i] = cell.id[i].load(std::memory_order_acquire);
  Exemplar out{.trace_id = std::string(kDigits, '0'),
               .value = Duration(cell.value.load(std::memory_order_acquire)),
               .when = Instant(Instant::duration(cell.when.load(std::memory_order_acquire)))};
  if (cell.version.load(std::memory_order_relaxed) != before) return std::nullopt;
  std::memcpy(out.trace_id.data(), words.data(), kDigits);
  return out;
}

}  // namespace headgate::observe
