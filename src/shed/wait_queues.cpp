#include "headgate/shed/wait_queues.hpp"

#include <mutex>
#include <unordered_map>
#include <utility>

namespace headgate::shed {
namespace {

struct ByLowBits {
  std::size_t operator()(const Hash& hash) const noexcept { return static_cast<std::size_t>(hash.low); }
};

}  // namespace

struct alignas(64) WaitQueues::Stripe {
  mutable std::mutex mutex;
  /// This number is read before the lock is taken, because mostly no request waits.
  std::atomic<std::size_t> queues{0};
  std::unordered_map<Hash, FairQueue, ByLowBits> by_hash;
};

WaitQueues::WaitQueues() : stripes_(std::make_unique<std::array<Stripe, kStripes>>()) {}
WaitQueues::~WaitQueues() = default;

WaitQueues::Stripe& WaitQueues::stripe_of(const Hash& queue) const noexcept {
  return (*stripes_)[queue.high % kStripes];
}

InQueue WaitQueues::join(Member& member, const Hash& name, std::size_t most) {
  if (most == 0) return InQueue::full;
  auto& stripe = stripe_of(name);
  const std::lock_guard lock(stripe.mutex);
  auto& queue = stripe.by_hash.try_emplace(name, most).first->second;
  queue.bound(most);
  member.entry_.key = member.line;
  member.entry_.priority = member.priority;
  auto* const leaves = queue.push(member.entry_);
  if (leaves == &member.entry_) return InQueue::full;
  if (leaves != nullptr) {
    auto& other = static_cast<Member::Entry*>(leaves)->member;
    other.queued_.store(false, std::memory_order_release);
    other.its_turn();
  }
  stripe.queues.store(stripe.by_hash.size(), std::memory_order_relaxed);
  member.queue_ = name;
  member.joined_ = true;
  member.queued_.store(true, std::memory_order_release);
  return queue.next() == &member.entry_ ? InQueue::first : InQueue::behind;
}

void WaitQueues::leave(Member& member) noexcept {
  // This does not use queued(): a request that had to leave for another one may not have been told yet, which happens
  // under the lock.
  if (!std::exchange(member.joined_, false)) return;
  auto& stripe = stripe_of(member.queue_);
  const std::lock_guard lock(stripe.mutex);
  if (!member.queued()) return;  // The member had to leave for another request.
  const auto found = stripe.by_hash.find(member.queue_);
  auto& queue = found->second;
  const bool was_first = queue.next() == &member.entry_;
  if (was_first)
    queue.serve(member.entry_);  // This counts even if the request gave up: its caller has had a turn.
  else
    queue.remove(member.entry_);
  member.queued_.store(false, std::memory_order_release);
  if (queue.empty()) {
    stripe.by_hash.erase(found);
    stripe.queues.store(stripe.by_hash.size(), std::memory_order_relaxed);
  } else if (was_first) {
    static_cast<Member::Entry*>(queue.next())->member.its_turn();
  }
}

void WaitQueues::freed(const Hash& name) noexcept {
  auto& stripe = stripe_of(name);
  if (stripe.queues.load(std::memory_order_relaxed) == 0) return;
  const std::lock_guard lock(stripe.mutex);
  const auto found = stripe.by_hash.find(name);
  if (found != stripe.by_hash.end()) static_cast<Member::Entry*>(found->second.next())->member.its_turn();
}

bool WaitQueues::is_first(const Member& member) const noexcept {
  if (!member.queued()) return false;
  auto& stripe = stripe_of(member.queue_);
  const std::lock_guard lock(stripe.mutex);
  return member.queued() && stripe.by_hash.find(member.queue_)->second.next() == &member.entry_;
}

bool WaitQueues::anyone_waits(const Hash& name) const noexcept {
  auto& stripe = stripe_of(name);
  if (stripe.queues.load(std::memory_order_relaxed) == 0) return false;
  const std::lock_guard lock(stripe.mutex);
  return stripe.by_hash.contains(name);
}

std::size_t WaitQueues::waiting(const Hash& name) const noexcept {
  auto& stripe = stripe_of(name);
  if (stripe.queues.load(std::memory_order_relaxed) == 0) return 0;
  const std::lock_guard lock(stripe.mutex);
  const auto found = stripe.by_hash.find(name);
  return found == stripe.by_hash.end() ? 0 : found->second.size();
}

}  // namespace headgate::shed
