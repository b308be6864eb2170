#include "headgate/limit/flight_queues.hpp"

#include "spin_mutex.hpp"

#include <atomic>
#include <mutex>
#include <unordered_map>

namespace headgate::limit {
namespace {

struct ByLowBits {
  std::size_t operator()(const Hash& hash) const noexcept { return static_cast<std::size_t>(hash.low); }
};

struct FlightQueue {
  boost::intrusive::list<FlightWaiter, boost::intrusive::constant_time_size<true>> waiters;
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
  const auto found = stripe.by_counter.find(counter);
  const auto waiting = found == stripe.by_counter.end() ? 0 : found->second.waiters.size();
  if (waiting >= most) return Place::full;
  auto& queue = waiting == 0 ? stripe.by_counter[counter] : found->second;
  queue.waiters.push_back(waiter);
  stripe.queues.store(stripe.by_counter.size(), std::memory_order_relaxed);
  waiter.counter_ = counter;
  waiter.queued_ = true;
  return waiting == 0 ? Place::first : Place::behind;
}

void FlightQueues::leave(FlightWaiter& waiter) noexcept {
  if (!waiter.queued_) return;
  auto& stripe = stripe_of(waiter.counter_);
  const std::lock_guard lock(stripe.mutex);
  const auto found = stripe.by_counter.find(waiter.counter_);
  auto& waiters = found->second.waiters;
  const bool was_first = &waiters.front() == &waiter;
  waiters.erase(waiters.iterator_to(waiter));
  waiter.queued_ = false;
  if (waiters.empty()) {
    stripe.by_counter.erase(found);
    stripe.queues.store(stripe.by_counter.size(), std::memory_order_relaxed);
  } else if (was_first) {
    waiters.front().its_turn();
  }
}

void FlightQueues::freed(const Hash& counter) noexcept {
  auto& stripe = stripe_of(counter);
  if (stripe.queues.load(std::memory_order_relaxed) == 0) return;
  const std::lock_guard lock(stripe.mutex);
  const auto found = stripe.by_counter.find(counter);
  if (found != stripe.by_counter.end()) found->second.waiters.front().its_turn();
}

bool FlightQueues::is_first(const FlightWaiter& waiter) const noexcept {
  if (!waiter.queued_) return false;
  auto& stripe = stripe_of(waiter.counter_);
  const std::lock_guard lock(stripe.mutex);
  return &stripe.by_counter.find(waiter.counter_)->second.waiters.front() == &waiter;
}

bool FlightQueues::anyone_waits(const Hash& counter) const noexcept {
  auto& stripe = stripe_of(counter);
  if (stripe.queues.load(std::memory_order_relaxed) == 0) return false;
  const std::lock_guard lock(stripe.mutex);
  return stripe.by_counter.contains(counter);
}

}  // namespace headgate::limit
