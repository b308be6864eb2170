#pragma once
// The wait for what comes back: a permit in flight, or a place at a server. First come first served in each queue, on
// all workers of this process.

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

/// In the list of those that have their turn. Any thread, under the lock of Turns.
using CalledHook = boost::intrusive::list_member_hook<boost::intrusive::link_mode<boost::intrusive::safe_link>>;

/// A request that stands in a queue, and is told on its worker's thread when it has its turn. Lives in the frame of the
/// step that lets it wait; worker thread only.
class InLine : public shed::WaitQueues::Member {
 public:
  InLine(const InLine&) = delete;
  InLine& operator=(const InLine&) = delete;
  ~InLine() override { leave_line(); }

 protected:
  InLine(Turns& turns, Exchange& x) : turns_(turns), x_(x) {}

  /// Puts it at the end of the queue, as WaitQueues::join(). The first has its turn at once.
  bool stand_in(const Hash& queue, std::size_t most);
  bool is_first() const noexcept;
  void leave_line() noexcept;
  /// Returns when it has its turn, when its client is gone, or after `time`.
  Task<void> wait_for_turn(Duration time);

  Turns& turns_;
  Exchange& x_;
  bool called_ = false;  ///< it has its turn

 private:
  friend class Turns;
  void its_turn() noexcept override;

  Delay* delay_ = nullptr;  ///< the wait under way
  CalledHook in_called_;
};

/// The place of one request in the queue for a permit. A request stands in one queue at a time: if it needs permits of
/// two limits, it waits for one after the other.
class Turn final : public InLine {
 public:
  enum class For {
    permit,  ///< of a limit: a caller's own permits are its own, and nobody goes before
    place    ///< at the upstream: callers and priorities count
  };
  Turn(Turns& turns, Exchange& x, For what = For::permit) : InLine(turns, x), for_(what) {}
  ~Turn() override;
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;

  /// What a request may do that asks for `batch`.
  enum class May {
    ask,      ///< it is the first, or nobody waits
    wait,     ///< it stands in a queue behind others
    not_pass  ///< others wait, and it cannot: it is rejected, also if a permit comes free at this moment
  };
  May begin(const Batch& batch);
  /// After a rejection: whether it stands in a queue and has time left. Then it may wait().
  bool stays(const Batch& batch);
  /// What begin() or stays() said last.
  bool waits() const noexcept { return waits_; }
  /// Whether it ever stood in a queue.
  bool has_waited() const noexcept { return since_ != Clock::Steady(); }
  /// Returns when it may ask again, when its time is over, or when its client is gone.
  Task<void> wait();
  /// It has all its permits.
  void admitted() noexcept { told_.reset(); }
  /// Whether a request may wait for the permit of this check.
  static bool can_wait(const limit::Check& check) noexcept;

 private:
  bool over() const noexcept;
  bool stand(const Batch& batch, std::size_t check);
  void tell_redis(const Batch& batch);
  void leave() noexcept;

  For for_;
  Clock::Steady since_{};             ///< when its wait began; zero before
  Clock::Steady until_{};             ///< the longest that it waits
  std::optional<limit::Check> told_;  ///< the check that may have put it into the queue in Redis
  bool waits_ = false;
  bool in_redis_ = false;  ///< its permit may come free on another gateway, which tells nobody
  bool soon_ = false;      ///< it had its turn, and got no permit yet
};

/// Of one worker; its thread only.
class Turns {
 public:
  Turns(Clock& clock, shed::WaitQueues& queues);
  ~Turns();
  Turns(const Turns&) = delete;
  Turns& operator=(const Turns&) = delete;

  /// These permits came back, here or in Redis.
  void freed(std::span<const limit::Check> checks) noexcept;
  /// Something of this queue came back.
  void freed(const Hash& queue) noexcept { queues_.freed(queue); }
  bool anyone_waits(const Hash& queue) const noexcept { return queues_.anyone_waits(queue); }

 private:
  friend class InLine;
  static void on_bell(void* self);
  void call_in();

  using Called = boost::intrusive::list<InLine, boost::intrusive::member_hook<InLine, CalledHook, &InLine::in_called_>>;

  shed::WaitQueues& queues_;
  std::mutex mutex_;
  Called called_;  ///< under `mutex_`: those that have their turn and were not told yet
  std::unique_ptr<Bell> bell_;
};

}  // namespace headgate::gateway
