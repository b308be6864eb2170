#pragma once
// The calls of a limiter that no request waits for.

#include "redis/servers/servers.hpp"

#include <cstddef>
#include <memory>
#include <utility>

namespace headgate::redis {

/// Counts the active calls, and stops the servers after the last one. Worker thread only.
class ActiveCalls {
 public:
  explicit ActiveCalls(std::shared_ptr<Servers> servers) : servers_(std::move(servers)) {}

  void begun() noexcept { ++count_; }
  void ended() {
    if (--count_ == 0 && last_) servers_->stop();
  }
  std::size_t count() const noexcept { return count_; }
  /// Stops the servers as soon as no call is active. Call it while a call is active.
  void stop_after_last() noexcept { last_ = true; }

 private:
  std::shared_ptr<Servers> servers_;
  std::size_t count_ = 0;
  bool last_ = false;
};

}  // namespace headgate::redis
