#include "limit_numbers.hpp"

#include <algorithm>

namespace headgate::limit {

std::uint16_t LimitNumbers::of(const Rule& rule) {
  std::atomic<std::uint64_t>& entry = known_[(rule.seed >> 32U) % known_.size()];
  const std::uint64_t known = entry.load(std::memory_order_relaxed);
  // 0 means that there is no entry, so an entry holds the number plus 1.
  if (known != 0 && ((known ^ rule.seed) & ~kNumber) == 0) return static_cast<std::uint16_t>((known & kNumber) - 1);
  const std::uint16_t number = named(rule.limit);
  entry.store((rule.seed & ~kNumber) | (number + 1U), std::memory_order_relaxed);
  return number;
}

std::uint16_t LimitNumbers::named(const std::string& limit) {
  const std::lock_guard guard(mutex_);
  const auto next = static_cast<std::uint16_t>(std::min(numbers_.size(), kMax));
  return numbers_.try_emplace(limit, next).first->second;
}

std::vector<std::string> LimitNumbers::names() const {
  const std::lock_guard guard(mutex_);
  std::vector<std::string> names(std::min(numbers_.size(), kMax + 1));
  for (const auto& [name, number] : numbers_) names[number] = name;
  return names;
}

}  // namespace headgate::limit
