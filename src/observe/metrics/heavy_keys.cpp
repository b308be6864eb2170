#include "headgate/observe/heavy_keys.hpp"

#include <algorithm>
#include <unordered_map>
#include <utility>

namespace headgate::observe {

/// Returns the slot of the key with this hash, or the empty slot where the key belongs. The search ends, because at
/// least half of the slots are empty.
std::size_t HeavyKeys::slot_of(std::uint64_t hash) const noexcept {
  auto at = hash % kSlots;
  while (slots_[at] != 0 && counters_[slots_[at] - 1U].hash != hash) at = (at + 1) % kSlots;
  return at;
}

void HeavyKeys::add(std::uint64_t hash, std::string_view key, std::uint32_t times) {
  total_ += times;
  auto at = slot_of(hash);
  if (slots_[at] == 0) {
    if (used_ == kCounters) {
      make_room();
      at = slot_of(hash);
    }
    auto& counted = counters_[used_];
    counted.hash = hash;
    counted.count = 0;
    counted.key.assign(key);
    slots_[at] = static_cast<std::uint8_t>(++used_);
  }
  counters_[slots_[at] - 1U].count += times;
}

// Subtracts the median of all counts from each of them. More than half of the counts are at least as large as the
// median. So the sum of all medians, which is the largest error of a count, is less than the total divided by half the
// number of counters.
void HeavyKeys::make_room() {
  std::array<std::uint64_t, kCounters> counts;
  for (std::size_t i = 0; i < kCounters; ++i) counts[i] = counters_[i].count;
  const auto middle = counts.begin() + kCounters / 2 - 1;
  std::nth_element(counts.begin(), middle, counts.end());
  const auto least = *middle;
  missed_ += least;
  used_ = 0;
  slots_.fill(0);
  for (auto& counted : counters_) {
    if (counted.count <= least) continue;
    counted.count -= least;
    // Swaps instead of moving, so that both texts keep their memory.
    if (&counters_[used_] != &counted) std::swap(counters_[used_], counted);
    const auto at = slot_of(counters_[used_].hash);
    slots_[at] = static_cast<std::uint8_t>(++used_);
  }
}

HeavyList HeavyKeys::list() const {
  HeavyList out{.total = total_, .missed = missed_, .keys = {}};
  out.keys.reserve(used_);
  for (std::size_t i = 0; i < used_; ++i) out.keys.push_back({counters_[i].key, counters_[i].count});
  return out;
}

// Merges as in Agarwal, Cormode, Huang, Phillips, Wei and Yi ("Mergeable Summaries", 2012): adds the counts of equal
// keys. If there are too many keys then, subtracts the largest count that has no place from all others.
void HeavyList::merge(const HeavyList& other) {
  total += other.total;
  missed += other.missed;
  std::unordered_map<std::string_view, std::size_t> places;
  keys.reserve(keys.size() + other.keys.size());  // reserved first, so that the views below stay valid
  places.reserve(keys.size());
  for (std::size_t i = 0; i < keys.size(); ++i) places.emplace(keys[i].key, i);
  for (const auto& each : other.keys) {
    const auto known = places.find(each.key);
    if (known != places.end()) {
      keys[known->second].count += each.count;
      continue;
    }
    keys.push_back(each);
    places.emplace(keys.back().key, keys.size() - 1);
  }
  if (keys.size() <= HeavyKeys::kCounters) return;
  const auto last = keys.begin() + HeavyKeys::kCounters;
  std::nth_element(keys.begin(), last, keys.end(), [](const auto& a, const auto& b) { return a.count > b.count; });
  const auto least = last->count;
  missed += least;
  keys.resize(HeavyKeys::kCounters);
  std::erase_if(keys, [&](auto& each) {
    each.count -= std::min(each.count, least);
    return each.count == 0;
  });
}

}  // namespace headgate::observe
