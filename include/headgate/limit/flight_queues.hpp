#pragma once
// Who waits for a permit in flight: a queue for each counter, shared by all workers of the process.

#include "headgate/core/hash.hpp"

#include <boost/intrusive/list.hpp>

#include <array>
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

  bool queued() const noexcept { return queued_; }
  /// Of the counter for which it waits, or waited last.
  const Hash& counter() const noexcept { return counter_; }

 private:
  friend class FlightQueues;
  /// It is the first in its queue, and a permit may be free. Called by any thread under the lock of the queue: it must
  /// return at once, and use no FlightQueues.
  virtual void its_turn() noexcept = 0;

  Hash counter_;
  bool queued_ = false;
};

/// Queues, first come first served. It only keeps the order: who is first asks the store again, and stays if there is
/// no permit.
///
/// No turn is lost: whoever waits stands in the queue before it asks the store, and freed() comes after a permit was
/// given back. So either it gets the permit, or freed() finds it. Any thread; all operations take constant time.
class FlightQueues {
 public:
  FlightQueues();
  ~FlightQueues();

  enum class Place { first, behind, full };
  /// Puts it at the end. Full: `most` wait already, and it does not.
  Place join(FlightWaiter& waiter, const Hash& counter, std::size_t most);
  /// It waits no more. If it was the first, the next one has its turn. Does nothing if it stands in no queue.
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
