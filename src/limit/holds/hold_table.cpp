#include "headgate/limit/hold_table.hpp"

#include "../spin_mutex.hpp"

#include <boost/unordered/unordered_flat_map.hpp>

#include <algorithm>
#include <array>
#include <mutex>

namespace headgate::limit {
namespace {

constexpr std::size_t kHoldStripes = 64;
/// The rules of one stripe whose times are kept. Configurations have far fewer, so this bounds only what many reloads
/// leave behind.
constexpr std::size_t kMaxTimes = 256;
/// The weight of the last call in the running mean: one part of so many.
constexpr std::int64_t kWeight = 8;

struct OfHash {
  std::size_t operator()(const Hash& hash) const noexcept { return static_cast<std::size_t>(hash.low); }
};

struct HoldStripe {
  mutable SpinMutex mutex;
  boost::unordered_flat_map<Hash, std::int64_t, OfHash> held;
  boost::unordered_flat_map<std::uint64_t, Duration> usual;
};

}  // namespace

struct HoldTable::State {
  std::array<HoldStripe, kHoldStripes> stripes;

  HoldStripe& of(const Hash& counter) noexcept { return stripes[counter.high % kHoldStripes]; }
  HoldStripe& of(std::uint64_t seed) noexcept { return stripes[seed % kHoldStripes]; }
};

HoldTable::HoldTable(std::size_t bound)
    : bound_(std::max<std::size_t>(bound / kHoldStripes, 1)), state_(std::make_unique<State>()) {}

HoldTable::~HoldTable() = default;

bool HoldTable::add(const Hash& counter, std::int64_t permits) {
  auto& stripe = state_->of(counter);
  const std::lock_guard lock(stripe.mutex);
  const auto known = stripe.held.find(counter);
  if (known != stripe.held.end()) {
    known->second += permits;
    return true;
  }
  if (stripe.held.size() >= bound_) return false;
  stripe.held.emplace(counter, permits);
  return true;
}

void HoldTable::remove(const Hash& counter, std::int64_t permits) noexcept {
  auto& stripe = state_->of(counter);
  const std::lock_guard lock(stripe.mutex);
  const auto known = stripe.held.find(counter);
  if (known == stripe.held.end()) return;
  known->second -= permits;
  if (known->second <= 0) stripe.held.erase(known);
}

std::int64_t HoldTable::held(const Hash& counter) const noexcept {
  auto& stripe = state_->of(counter);
  const std::lock_guard lock(stripe.mutex);
  const auto known = stripe.held.find(counter);
  return known == stripe.held.end() ? 0 : known->second;
}

void HoldTable::lasted(std::uint64_t seed, Duration time) {
  auto& stripe = state_->of(seed);
  const std::lock_guard lock(stripe.mutex);
  const auto known = stripe.usual.find(seed);
  if (known != stripe.usual.end())
    known->second += (time - known->second) / kWeight;
  else if (stripe.usual.size() < kMaxTimes)
    stripe.usual.emplace(seed, time);
}

Duration HoldTable::usual(std::uint64_t seed) const noexcept {
  auto& stripe = state_->of(seed);
  const std::lock_guard lock(stripe.mutex);
  const auto known = stripe.usual.find(seed);
  return known == stripe.usual.end() ? Duration(0) : known->second;
}

}  // namespace headgate::limit
