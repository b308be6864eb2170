#pragma once
// Who waits for something that comes back, a permit in flight or a place at a server: a queue for each of these, shared
// by all workers of the process.

#include "headgate/core/hash.hpp"
#include "headgate/shed/fair_queue.hpp"
#include "headgate/shed/priority.hpp"

#include <array>
#include <atomic>
#include <cstddef>
#include <memory>

namespace headgate::shed {

/// Where a newcomer stands in its queue. Full: it does not.
enum class InQueue { first, behind, full };

/// Queues that are fair to callers as a FairQueue is, and keep the order only: who is first asks for what it waits for
/// again, and stays if there is none.
///
/// No turn is lost: whoever waits stands in the queue before it asks, and freed() comes after something was given back.
/// So either it gets that, or freed() finds it. Any thread; the time of each operation is logarithmic in the number of
/// callers that wait.
class WaitQueues {
 public:
  /// One request that waits. It leaves its queue before it is destroyed.
  class Member {
   public:
    Member() noexcept : entry_(*this) {}
    Member(const Member&) = delete;
    Member& operator=(const Member&) = delete;
    virtual ~Member() = default;

    bool queued() const noexcept { return queued_.load(std::memory_order_acquire); }
    /// Of the queue in which it stands, or stood last.
    const Hash& queue() const noexcept { return queue_; }

    // Neither changes while it stands in a queue.
    Priority priority = Priority::critical;
    Hash line{};  ///< whose request it is: of each priority, the lines are served in turn

   private:
    friend class WaitQueues;
    struct Entry : Waiter {
      explicit Entry(Member& self) noexcept : member(self) {}
      Member& member;
    };
    /// It is the first in its queue, and what it waits for may be free; or it had to leave for another one. Called by
    /// any thread under the lock of the queue: it must return at once, and use no WaitQueues.
    virtual void its_turn() noexcept = 0;

    Entry entry_;
    Hash queue_;
    std::atomic<bool> queued_{false};  ///< written under the lock of its queue
    bool joined_ = false;  ///< it has joined a queue and not left since; read and written by its owner alone
  };

  WaitQueues();
  ~WaitQueues();

  /// Puts it at the end of its line. Full: `most` wait already, and it does not; see FairQueue for who has to leave if
  /// not the newcomer. That one is told its turn, and is queued() no more.
  InQueue join(Member& member, const Hash& queue, std::size_t most);
  /// It waits no more. If it was the first, the next one has its turn. Does nothing if it stands in no queue. Its owner
  /// calls it, before it joins another queue and before it is destroyed; from then on nobody tells it its turn.
  void leave(Member& member) noexcept;
  /// Something of this queue came back: the first has its turn.
  void freed(const Hash& queue) noexcept;
  bool is_first(const Member& member) const noexcept;
  bool anyone_waits(const Hash& queue) const noexcept;
  /// How many wait. For reports, not for the request path.
  std::size_t waiting(const Hash& queue) const noexcept;

 private:
  struct Stripe;
  static constexpr std::size_t kStripes = 64;
  Stripe& stripe_of(const Hash& queue) const noexcept;

  std::unique_ptr<std::array<Stripe, kStripes>> stripes_;
};

}  // namespace headgate::shed
