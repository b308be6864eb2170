#pragma once
// A peer that sends as fast as it can and drops all answers: shows what one connection costs the others.

#include "blackbox/harness/socket.hpp"

#include <atomic>
#include <cstddef>
#include <string>
#include <thread>

namespace headgate::test {

/// Sends `first`, then `block` again and again on its own thread, until it is destroyed or the peer closes. The public
/// functions may be called from the thread of the test.
class Flood {
 public:
  Flood(Socket socket, std::string first, std::string block);
  Flood(const Flood&) = delete;
  Flood& operator=(const Flood&) = delete;
  ~Flood();

  std::size_t sent() const { return sent_; }
  std::size_t received() const { return received_; }
  bool over() const { return over_; }  ///< whether the peer has closed or reset the connection
  /// False if it does not happen within kPatience.
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
