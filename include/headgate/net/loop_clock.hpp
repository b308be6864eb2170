#pragma once
// The system's clocks, and alarms that a loop rings: precise, and a system call or two each (net/timers.hpp has the
// cheap ones, which are coarse).

#include "headgate/core/clock.hpp"

#include <boost/asio/io_context.hpp>

namespace headgate::net {

/// Lives as long as its loop is used. Alarms on the loop's thread.
class LoopClock final : public headgate::Clock {
 public:
  explicit LoopClock(boost::asio::io_context& loop) noexcept : loop_(loop) {}
  Steady steady() const noexcept override { return std::chrono::steady_clock::now(); }
  Instant wall() const noexcept override { return now(); }
  std::time_t second() const noexcept override { return std::time(nullptr); }
  std::unique_ptr<Alarm> alarm(Alarm::Ring ring, void* owner) override;

 private:
  boost::asio::io_context& loop_;
};

}  // namespace headgate::net
