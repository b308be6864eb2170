#pragma once
// Queues of requests that wait until something is returned: a permit in flight, or a place at a server. Shared by all
// workers of the process.

#include "headgate/core/hash.hpp"
#include "headgate/shed/fair_queue.hpp"
#include "headgate/shed/priority.hpp"

#include <array>
#include <atomic>
#include <cstddef>
#include <memory>

namespace headgate::shed {

/// The position of a new request in its queue; `full` if it was not accepted.
enum class InQueue { first, behind, full };

/// Queues that are fair to callers, like a FairQueue. They only keep the order: the first request asks again for the
/// permit or place, and stays first if none is free.
///
/// No turn is lost: a request joins its queue before it asks, and freed() is called after something was returned. So
/// either the request gets it, or freed() finds the request. Any thread; each operation takes time logarithmic in the
/// number of waiting callers.
class WaitQueues {
 public:
  /// A waiting request. It must leave its queue before it is destroyed.
  class Member {
   public:
    Member() noexcept : entry_(*this) {}
    Member(const Member&) = delete;
    Member& operator=(const Member&) = delete;
    virtual ~Member() = default;

    bool queued() const noexcept { return queued_.load(std::memory_order_acquire); }
    /// Returns the queue that the request is in, or was in last.
    const Hash& queue() const noexcept { return queue_; }

    // Priority of the request; like `line`, it must not change while the request is in a queue.
    Priority priority = Priority::critical;
    Hash line{};  ///< The caller of the request. Within a priority, the lines of callers are served in turn.

   private:
    friend class WaitQueues;
    struct Entry : Waiter {
      explicit Entry(Member& self) noexcept : member(self) {}
      Member& member;
    };
    /// Tells the request that it is first in its queue and a permit or place may be free, or that it had to leave for
    /// another request. Called by any thread under the lock of the queue: it must return at once, and must not use
    /// WaitQueues.
    virtual void its_turn() noexcept = 0;

    Entry entry_;
    Hash queue_;
    std::atomic<bool> queued_{false};  ///< Written under the lock of its queue.
    bool joined_ = false;              ///< True from joining a queue until leaving it; used by its owner only.
  };

  WaitQueues();
  ~WaitQueues();

  /// Appends the request to its line. Returns `full` if `most` requests wait already and this one was not accepted. If
  /// it was accepted to a full queue, FairQueue decides which request has to leave; that request gets its_turn() and is
  /// no longer queued().
  InQueue join(Member& member, const Hash& queue, std::size_t most);
  /// Removes the request from its queue. If it was first, the next one has its turn. Does nothing if it is in no queue.
  /// The owner must call this before the request joins another queue and before it is destroyed. After that, its_turn()
  /// is not called.
  void leave(Member& member) noexcept;
  /// Gives the first request of this queue its turn, because a permit or place was returned.
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
