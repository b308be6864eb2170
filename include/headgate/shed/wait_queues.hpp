#pragma once
// Queues of requests that wait for something that is given back: a permit in flight, or a place at a server. Shared by
// all workers of the process.

#include "headgate/core/hash.hpp"
#include "headgate/shed/fair_queue.hpp"
#include "headgate/shed/priority.hpp"

#include <array>
#include <atomic>
#include <cstddef>
#include <memory>

namespace headgate::shed {

/// The position of a newcomer in its queue. `full`: it was not accepted.
enum class InQueue { first, behind, full };

/// Queues that are fair to callers, like a FairQueue. They only keep the order: the first request asks again for what
/// it waits for, and stays first if there is none.
///
/// No turn is lost: a request joins its queue before it asks, and freed() is called after something was given back. So
/// either the request gets it, or freed() finds the request. Any thread; each operation takes time logarithmic in the
/// number of waiting callers.
class WaitQueues {
 public:
  /// One waiting request. It must leave its queue before it is destroyed.
  class Member {
   public:
    Member() noexcept : entry_(*this) {}
    Member(const Member&) = delete;
    Member& operator=(const Member&) = delete;
    virtual ~Member() = default;

    bool queued() const noexcept { return queued_.load(std::memory_order_acquire); }
    /// The queue that it is in, or was in last.
    const Hash& queue() const noexcept { return queue_; }

    // These members do not change while it is in a queue.
    Priority priority = Priority::critical;
    Hash line{};  ///< The caller of the request. Within a priority, the lines of callers are served in turn.

   private:
    friend class WaitQueues;
    struct Entry : Waiter {
      explicit Entry(Member& self) noexcept : member(self) {}
      Member& member;
    };
    /// Called when it is first in its queue and what it waits for may be free, or when it had to leave for another
    /// request. Called by any thread under the lock of the queue: it must return at once, and must not use WaitQueues.
    virtual void its_turn() noexcept = 0;

    Entry entry_;
    Hash queue_;
    std::atomic<bool> queued_{false};  ///< Written under the lock of its queue.
    bool joined_ = false;              ///< True from joining a queue until leaving it; used by its owner only.
  };

  WaitQueues();
  ~WaitQueues();

  /// Appends it to its line. `full` means that `most` requests wait already and this one was not accepted; FairQueue
  /// decides which request has to leave otherwise. That request gets its_turn() and is no longer queued().
  InQueue join(Member& member, const Hash& queue, std::size_t most);
  /// Stops waiting. If it was first, the next one has its turn. Does nothing if it is in no queue. Its owner calls this
  /// before it joins another queue and before it is destroyed. After that, its_turn() is not called.
  void leave(Member& member) noexcept;
  /// Something of this queue was given back, so the first request has its turn.
  void freed(const Hash& queue) noexcept;
  bool is_first(const Member& member) const noexcept;
  bool anyone_waits(const Hash& queue) const noexcept;
  /// Returns the number of waiting requests. For reports, not for the request path.
  std::size_t waiting(const Hash& queue) const noexcept;

 private:
  struct Stripe;
  static constexpr std::size_t kStripes = 64;
  Stripe& stripe_of(const Hash& queue) const noexcept;

  std::unique_ptr<std::array<Stripe, kStripes>> stripes_;
};

}  // namespace headgate::shed
