#pragma once
// Queues for permits in flight and for places at servers, across all workers of this process. Each queue is first come,
// first served.

#include "round.hpp"

#include "headgate/gateway/delay.hpp"
#include "headgate/gateway/exchange.hpp"
#include "headgate/shed/wait_queues.hpp"

#include <boost/intrusive/list.hpp>

#include <cstddef>
#include <memory>
#include <mutex>
#include <optional>
#include <span>

namespace headgate::gateway {

class Turns;

/// Links a request into the list of requests whose turn has come. Any thread, under the lock of Turns.
using CalledHook = boost::intrusive::list_member_hook<boost::intrusive::link_mode<boost::intrusive::safe_link>>;

/// A queued request. Its worker's thread is notified when its turn has come. Lives in the frame of the step in which
/// the request waits; worker thread only.
class InLine : public shed::WaitQueues::Member {
 public:
  InLine(const InLine&) = delete;
  InLine& operator=(const InLine&) = delete;
  ~InLine() override { leave_line(); }

 protected:
  InLine(Turns& turns, Exchange& x) : turns_(turns), x_(x) {}

  /// Adds the request to the end of the queue, like WaitQueues::join(). If the queue was empty, its turn has come at
  /// once.
  bool stand_in(const Hash& queue, std::size_t most);
  bool is_first() const noexcept;
  void leave_line() noexcept;
  /// Returns when the turn has come, when the client has left, or after `time`.
  Task<void> wait_for_turn(Duration time);

  Turns& turns_;
  Exchange& x_;
  bool called_ = false;  ///< whether the turn of this request has come

 private:
  friend class Turns;
  void its_turn() noexcept override;

  Delay* delay_ = nullptr;  ///< the current wait
  CalledHook in_called_;
};

/// The place of one request in the queue for a permit. A request is in one queue at a time. If it needs permits of two
/// limits, it waits for one permit after the other.
class Turn final : public InLine {
 public:
  enum class For {
    permit,  ///< a permit of a limit: all of them belong to one caller, so priorities do not matter
    place    ///< a place at the upstream: callers share the places by priority
  };
  Turn(Turns& turns, Exchange& x, For what = For::permit) : InLine(turns, x), for_(what) {}
  ~Turn() override;
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;

  /// The action that is allowed for a request with the checks of `batch`.
  enum class May {
    ask,   ///< the request may ask the store, because it is the first or no request waits
    wait,  ///< the request waits in the queue behind others
    /// other requests wait, but this one cannot, so it is rejected even if a permit is returned at this moment
    not_pass
  };
  May begin(const Batch& batch);
  /// Returns, after a rejection, whether the request is queued and has time left. If so, it may wait().
  bool stays(const Batch& batch);
  /// Returns the last result of begin() or stays().
  bool waits() const noexcept { return waits_; }
  /// Returns whether the request has ever been queued.
  bool has_waited() const noexcept { return since_ != Clock::Steady(); }
  /// Waits until the request may ask again, its time is over, or its client has left.
  Task<void> wait();
  /// Records that the request has all its permits.
  void admitted() noexcept { told_.reset(); }
  /// Returns whether a request may wait for the permit of this check.
  static bool can_wait(const limit::Check& check) noexcept;

 private:
  bool over() const noexcept;
  bool stand(const Batch& batch, std::size_t check);
  void tell_redis(const Batch& batch);
  void leave() noexcept;

  For for_;
  Clock::Steady since_{};             ///< start of the wait; zero before the first wait
  Clock::Steady until_{};             ///< latest end of the wait
  std::optional<limit::Check> told_;  ///< the check by which Redis may have queued the request
  bool waits_ = false;
  bool in_redis_ = false;  ///< whether another gateway may return the permit without a message to this one
  bool soon_ = false;      ///< whether the turn has come although no permit has been returned yet
};

/// The queues of one worker; its thread only.
class Turns {
 public:
  Turns(Clock& clock, shed::WaitQueues& queues);
  ~Turns();
  Turns(const Turns&) = delete;
  Turns& operator=(const Turns&) = delete;

  /// Records that these permits were returned, in memory or in Redis.
  void freed(std::span<const limit::Check> checks) noexcept;
  /// Records that a permit of this queue was returned.
  void freed(const Hash& queue) noexcept { queues_.freed(queue); }
  bool anyone_waits(const Hash& queue) const noexcept { return queues_.anyone_waits(queue); }

 private:
  friend class InLine;
  static void on_bell(void* self);
  void call_in();

  using Called = boost::intrusive::list<InLine, boost::intrusive::member_hook<InLine, CalledHook, &InLine::in_called_>>;

  shed::WaitQueues& queues_;
  std::mutex mutex_;
  Called called_;  ///< requests whose turn has come and that were not notified yet; guarded by `mutex_`
  std::unique_ptr<Bell> bell_;
};

}  // namespace headgate::gateway
