#pragma once
// Who waits for a permit in flight: a queue for each counter, shared by all workers of the process.

#include "headgate/core/hash.hpp"

#include <boost/intrusive/list.hpp>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

namespace headgate::limit {

/// One request that waits. It leaves its queue before it is destroyed.
class FlightWaiter : public boost::intrusive::list_base_hook<> {
 public:
  FlightWaiter() = default;
  FlightWaiter(const FlightWaiter&) = delete;
  FlightWaiter& operator=(const FlightWaiter&) = delete;
  virtual ~FlightWaiter() = default;

  bool queued() const noexcept { return queued_.load(std::memory_order_acquire); }
  /// Of the counter for which it waits, or waited last.
  const Hash& counter() const noexcept { return counter_; }

  /// Below kRanks; 0 goes before 1. Does not change while it stands in a queue.
  std::uint8_t rank = 0;
  static constexpr std::size_t kRanks = 3;

 private:
  friend class FlightQueues;
  /// It is the first in its queue, and a permit may be free; or it had to leave for one of a higher rank. Called by any
  /// thread under the lock of the queue: it must return at once, and use no FlightQueues.
  virtual void its_turn() noexcept = 0;

  Hash counter_;
  std::atomic<bool> queued_{false};  ///< written under the lock of its queue
  bool joined_ = false;              ///< it has joined a queue and not left since; read and written by its owner alone
};

/// Queues: a higher rank first, and in each first come first served. It only keeps the order: who is first asks the
/// store again, and stays if there is no permit.
///
/// No turn is lost: whoever waits stands in the queue before it asks the store, and freed() comes after a permit was
/// given back. So either it gets the permit, or freed() finds it. Any thread; all operations take constant time.
class FlightQueues {
 public:
  FlightQueues();
  ~FlightQueues();

  enum class Place { first, behind, full };
  /// Puts it at the end of its rank. Full: `most` wait already, none of them of a lower rank, and it does not. Else the
  /// last of the lowest rank has to leave for it: that one is told its turn, and is queued() no more.
  Place join(FlightWaiter& waiter, const Hash& counter, std::size_t most);
  /// It waits no more. If it was the first, the next one has its turn. Does nothing if it stands in no queue. Its owner
  /// calls it, before it joins another queue and before it is destroyed; from then on nobody tells it its turn.
  void leave(FlightWaiter& waiter) noexcept;
  /// A permit of the counter came back: the first has its turn.
  void freed(const Hash& counter) noexcept;
  bool is_first(const FlightWaiter& waiter) const noexcept;
  bool anyone_waits(const Hash& counter) const noexcept;

 private:
  struct Stripe;
  static constexpr std::size_t kStripes = 64;
  Stripe& stripe_of(const Hash& counter) const noexcept;

  std::unique_ptr<std::array<Stripe, kStripes>> stripes_;
};

}  // namespace headgate::limit
