#include "headgate/limit/flight_queues.hpp"

#include "spin_mutex.hpp"

#include <atomic>
#include <mutex>
#include <unordered_map>
#include <utility>

namespace headgate::limit {
namespace {

struct ByLowBits {
  std::size_t operator()(const Hash& hash) const noexcept { return static_cast<std::size_t>(hash.low); }
};

struct FlightQueue {
  using Waiters = boost::intrusive::list<FlightWaiter, boost::intrusive::constant_time_size<true>>;
  std::array<Waiters, FlightWaiter::kRanks> ranks;

  std::size_t size() const noexcept {
    std::size_t out = 0;
    for (const auto& each : ranks) out += each.size();
    return out;
  }
  /// Null if nobody waits.
  FlightWaiter* first() noexcept {
    for (auto& each : ranks)
      if (!each.empty()) return &each.front();
    return nullptr;
  }
  /// The last of the lowest rank, if that is lower than `rank`.
  FlightWaiter* last_below(std::size_t rank) noexcept {
    for (std::size_t i = ranks.size(); i-- > rank + 1;)
      if (!ranks[i].empty()) return &ranks[i].back();
    return nullptr;
  }
  void erase(FlightWaiter& waiter) noexcept {
    auto& of = ranks[waiter.rank];
    of.erase(of.iterator_to(waiter));
  }
};

}  // namespace

struct alignas(64) FlightQueues::Stripe {
  mutable SpinMutex mutex;
  /// Read before the lock: mostly nobody waits.
  std::atomic<std::size_t> queues{0};
  std::unordered_map<Hash, FlightQueue, ByLowBits> by_counter;
};

FlightQueues::FlightQueues() : stripes_(std::make_unique<std::array<Stripe, kStripes>>()) {}
FlightQueues::~FlightQueues() = default;

FlightQueues::Stripe& FlightQueues::stripe_of(const Hash& counter) const noexcept {
  return (*stripes_)[counter.high % kStripes];
}

FlightQueues::Place FlightQueues::join(FlightWaiter& waiter, const Hash& counter, std::size_t most) {
  auto& stripe = stripe_of(counter);
  const std::lock_guard lock(stripe.mutex);
  if (most == 0) return Place::full;
  const auto found = stripe.by_counter.find(counter);
  const auto waiting = found == stripe.by_counter.end() ? 0 : found->second.size();
  FlightWaiter* leaves = nullptr;
  if (waiting >= most) {
    leaves = found->second.last_below(waiter.rank);
    if (leaves == nullptr) return Place::full;
  }
  auto& queue = waiting == 0 ? stripe.by_counter[counter] : found->second;
  if (leaves != nullptr) {
    queue.erase(*leaves);
    leaves->queued_.store(false, std::memory_order_release);
    leaves->its_turn();
  }
  queue.ranks[waiter.rank].push_back(waiter);
  stripe.queues.store(stripe.by_counter.size(), std::memory_order_relaxed);
  waiter.counter_ = counter;
  waiter.joined_ = true;
  waiter.queued_.store(true, std::memory_order_release);
  return queue.first() == &waiter ? Place::first : Place::behind;
}

void FlightQueues::leave(FlightWaiter& waiter) noexcept {
  // Not queued(): one that had to leave for another may still be told so, under the lock.
  if (!std::exchange(waiter.joined_, false)) return;
  auto& stripe = stripe_of(waiter.counter_);
  const std::lock_guard lock(stripe.mutex);
  if (!waiter.queued()) return;  // it had to leave for another one
  const auto found = stripe.by_counter.find(waiter.counter_);
  auto& queue = found->second;
  const bool was_first = queue.first() == &waiter;
  queue.erase(waiter);
  waiter.queued_.store(false, std::memory_order_release);
  if (auto* const next = queue.first(); next == nullptr) {
    stripe.by_counter.erase(found);
    stripe.queues.store(stripe.by_counter.size(), std::memory_order_relaxed);
  } else if (was_first) {
    next->its_turn();
  }
}

void FlightQueues::freed(const Hash& counter) noexcept {
  auto& stripe = stripe_of(counter);
  if (stripe.queues.load(std::memory_order_relaxed) == 0) return;
  const std::lock_guard lock(stripe.mutex);
  const auto found = stripe.by_counter.find(counter);
  if (found != stripe.by_counter.end()) found->second.first()->its_turn();
}

bool FlightQueues::is_first(const FlightWaiter& waiter) const noexcept {
  if (!waiter.queued()) return false;
  auto& stripe = stripe_of(waiter.counter_);
  const std::lock_guard lock(stripe.mutex);
  return waiter.queued() && stripe.by_counter.find(waiter.counter_)->second.first() == &waiter;
}

bool FlightQueues::anyone_waits(const Hash& counter) const noexcept {
  auto& stripe = stripe_of(counter);
  if (stripe.queues.load(std::memory_order_relaxed) == 0) return false;
  const std::lock_guard lock(stripe.mutex);
  return stripe.by_counter.contains(counter);
}

}  // namespace headgate::limit
