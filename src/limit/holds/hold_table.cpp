#include "headgate/limit/hold_table.hpp"

#include "../spin_mutex.hpp"

#include <boost/unordered/unordered_flat_map.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <mutex>
#include <vector>

namespace headgate::limit {
namespace {

constexpr std::size_t kHoldStripes = 64;
/// The rules of one stripe whose times are kept. Configurations have far fewer, so this bounds only what many reloads
/// leave behind.
constexpr std::size_t kMaxTimes = 256;
/// The weight of the last call in the running mean: one part of so many.
constexpr std::int64_t kWeight = 8;
/// Ends of holds are rounded up to this, so that the holds of one window share an end.
constexpr auto kTick = std::chrono::milliseconds(100);

std::int64_t tick_of(HoldTable::Moment until) noexcept {
  return (until.time_since_epoch() + kTick - std::chrono::nanoseconds(1)) / kTick;
}

/// The permits that come back at the same time.
struct HeldUntil {
  std::int64_t tick = 0;
  std::int64_t permits = 0;
};

struct OfHash {
  std::size_t operator()(const Hash& hash) const noexcept { return static_cast<std::size_t>(hash.low); }
};

struct HoldStripe {
  mutable SpinMutex mutex;
  boost::unordered_flat_map<Hash, std::vector<HeldUntil>, OfHash> held;
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

bool HoldTable::add(const Hash& counter, std::int64_t permits, Moment until) {
  auto& stripe = state_->of(counter);
  const std::lock_guard lock(stripe.mutex);
  if (stripe.held.size() >= bound_ && !stripe.held.contains(counter)) return false;
  auto& parts = stripe.held[counter];
  const auto tick = tick_of(until);
  const auto same = std::ranges::find(parts, tick, &HeldUntil::tick);
  if (same != parts.end())
    same->permits += permits;
  else
    parts.push_back({tick, permits});
  return true;
}

void HoldTable::remove(const Hash& counter, std::int64_t permits, Moment until) noexcept {
  auto& stripe = state_->of(counter);
  const std::lock_guard lock(stripe.mutex);
  const auto known = stripe.held.find(counter);
  if (known == stripe.held.end()) return;
  auto& parts = known->second;
  const auto part = std::ranges::find(parts, tick_of(until), &HeldUntil::tick);
  if (part == parts.end()) return;
  part->permits -= permits;
  if (part->permits <= 0) parts.erase(part);
  if (parts.empty()) stripe.held.erase(known);
}

std::int64_t HoldTable::held(const Hash& counter, Moment now) const noexcept {
  auto& stripe = state_->of(counter);
  const std::lock_guard lock(stripe.mutex);
  const auto known = stripe.held.find(counter);
  if (known == stripe.held.end()) return 0;
  std::int64_t out = 0;
  for (const auto& part : known->second)
    if (part.tick * kTick > now.time_since_epoch()) out += part.permits;
  return out;
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

void HeldPermits::add(std::int64_t more, HoldTable::Moment now, HoldTable::Moment until) {
  permits_ += more;
  if (table_ == nullptr) return;
  table_->remove(counter_, counted_, until_);
  counted_ = (until_ > now ? counted_ : 0) + more;  // what was taken before may have come back already
  until_ = std::max(until_, until);
  if (!table_->add(counter_, counted_, until_)) table_ = nullptr;
}

}  // namespace headgate::limit
