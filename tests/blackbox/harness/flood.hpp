#pragma once
// A peer that sends as quickly as it is let and drops whatever comes back: what one connection may cost the others.

#include "blackbox/harness/socket.hpp"

#include <atomic>
#include <cstddef>
#include <string>
#include <thread>

namespace headgate::test {

/// Sends `first`, then `block` again and again on a thread of its own, until it is destroyed or the other side closes.
/// All public functions may be called from the test's thread.
class Flood {
 public:
  Flood(Socket socket, std::string first, std::string block);
  Flood(const Flood&) = delete;
  Flood& operator=(const Flood&) = delete;
  ~Flood();

  std::size_t sent() const { return sent_; }
  std::size_t received() const { return received_; }
  bool over() const { return over_; }  ///< the other side has closed, or reset
  /// False where it does not come to pass within kPatience.
  bool wait_until_sent(std::size_t bytes) const;

 private:
  void run();

  Socket socket_;
  std::string first_;
  std::string block_;
  std::atomic<std::size_t> sent_ = 0;
  std::atomic<std::size_t> received_ = 0;
  std::atomic<bool> over_ = false;
  std::atomic<bool> stopping_ = false;
  std::thread thread_;
};

}  // namespace headgate::test
