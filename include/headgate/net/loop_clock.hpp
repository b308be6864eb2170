#pragma once
// The system's clocks, and alarms on a loop. An alarm is precise and costs one or two system calls; net/timers.hpp has
// cheap, coarse deadlines. Used by server and load.

#include "headgate/core/clock.hpp"

#include <boost/asio/io_context.hpp>

namespace headgate::net {

/// A clock whose alarms ring on the thread of its loop. Must not outlive the loop.
class LoopClock final : public headgate::Clock {
 public:
  explicit LoopClock(boost::asio::io_context& loop) noexcept : loop_(loop) {}
  Steady steady() const noexcept override { return std::chrono::steady_clock::now(); }
  Instant wall() const noexcept override { return now(); }
  std::time_t second() const noexcept override { return std::time(nullptr); }
  std::unique_ptr<Alarm> alarm(Alarm::Ring ring, void* owner) override;
  std::unique_ptr<Bell> bell(Alarm::Ring ring, void* owner) override;

 private:
  boost::asio::io_context& loop_;
};

}  // namespace headgate::net
