#include "headgate/net/loop_clock.hpp"

#include "headgate/core/time.hpp"

#include <boost/asio/basic_waitable_timer.hpp>
#include <boost/asio/post.hpp>

#include <atomic>
#include <cstdint>

namespace headgate::net {
namespace {

using LoopTimer = boost::asio::basic_waitable_timer<SteadyClock, boost::asio::wait_traits<SteadyClock>,
                                                    boost::asio::io_context::executor_type>;

/// State shared with the handler, which the loop may call after the alarm is gone.
struct Waiting {
  Waiting(boost::asio::io_context& loop, Alarm::Ring what, void* whose)
      : timer(loop.get_executor()), ring(what), owner(whose) {}
  LoopTimer timer;
  Alarm::Ring ring;
  void* owner;
  // number of set() calls; the handler of an earlier call may be too late to cancel, and then does nothing
  std::uint64_t set = 0;
};

class LoopAlarm final : public Alarm {
 public:
  LoopAlarm(boost::asio::io_context& loop, Ring ring, void* owner)
      : waiting_(std::make_shared<Waiting>(loop, ring, owner)) {}
  LoopAlarm(const LoopAlarm&) = delete;
  LoopAlarm& operator=(const LoopAlarm&) = delete;
  ~LoopAlarm() override {
    ++waiting_->set;
    waiting_->timer.cancel();
  }

  void set(Duration after) override {
    waiting_->timer.expires_after(after);
    waiting_->timer.async_wait([waiting = waiting_, number = ++waiting_->set](const auto& error) {
      if (!error && waiting->set == number) waiting->ring(waiting->owner);
    });
  }

 private:
  std::shared_ptr<Waiting> waiting_;
};

class LoopBell final : public Bell {
 public:
  LoopBell(boost::asio::io_context& loop, Alarm::Ring what, void* owner)
      : loop_(loop), shared_(std::make_shared<Shared>(what, owner)) {}
  LoopBell(const LoopBell&) = delete;
  LoopBell& operator=(const LoopBell&) = delete;
  ~LoopBell() override { shared_->owner = nullptr; }

  void ring() override {
    if (shared_->rung.exchange(true)) return;
    boost::asio::post(loop_, [shared = shared_] {
      shared->rung = false;
      if (shared->owner != nullptr) shared->call(shared->owner);
    });
  }

 private:
  /// State shared with the handler, which the loop may call after the bell is gone.
  struct Shared {
    Shared(Alarm::Ring what, void* whose) : call(what), owner(whose) {}
    std::atomic<bool> rung{false};
    Alarm::Ring call;
    void* owner;
  };

  boost::asio::io_context& loop_;
  std::shared_ptr<Shared> shared_;
};

}  // namespace

std::unique_ptr<Bell> LoopClock::bell(Alarm::Ring ring, void* owner) {
  return std::make_unique<LoopBell>(loop_, ring, owner);
}

std::unique_ptr<Alarm> LoopClock::alarm(Alarm::Ring ring, void* owner) {
  return std::make_unique<LoopAlarm>(loop_, ring, owner);
}

}  // namespace headgate::net
