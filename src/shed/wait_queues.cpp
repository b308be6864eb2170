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
  /// Number of queues. Because mostly no request waits, this number is read first, and the lock is taken only if it is
  /// above 0.
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
  // This does not use queued(), because another thread may have cleared it and not yet called its_turn() of this
  // member. That thread holds the lock, so taking the lock here waits for the end of the call.
  if (!std::exchange(member.joined_, false)) return;
  auto& stripe = stripe_of(member.queue_);
  const std::lock_guard lock(stripe.mutex);
  if (!member.queued()) return;  // The member had to leave for another request.
  const auto found = stripe.by_hash.find(member.queue_);
  auto& queue = found->second;
  const bool was_first = queue.next() == &member.entry_;
  if (was_first)
    queue.serve(member.entry_);  // The caller has had its turn even if this request gave up.
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
