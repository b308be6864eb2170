#pragma once
// The servers of an upstream as a balancing policy sees them: what to choose by, and nothing of connections.

#include "headgate/core/time.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

namespace headgate::balance {

/// Whether a server is to be chosen.
enum class State : std::uint8_t {
  up,
  down  ///< ejected, or it failed its health check
};

/// One server. What is not atomic is the worker's whose table it is.
struct Server {
  std::atomic<State> state{State::up};  ///< written by any thread
  std::uint32_t weight = 1;             ///< its share of the requests, beside the others' shares; at least 1
  std::uint32_t in_flight = 0;          ///< exchanges under way with it
  Duration latency{0};                  ///< how long its answers' heads took of late; 0 while none came
};

/// As many servers as its upstream has, in the same order. One worker's.
class Table {
 public:
  explicit Table(std::size_t size) : servers_(std::make_unique<Server[]>(size)), size_(size) {}
  std::size_t size() const noexcept { return size_; }
  Server& operator[](std::size_t at) noexcept { return servers_[at]; }
  std::span<const Server> servers() const noexcept { return {servers_.get(), size_}; }

 private:
  std::unique_ptr<Server[]> servers_;
  std::size_t size_;
};

/// Takes an answer's time into the average: an eighth of it, so that it follows what has changed within some ten
/// answers.
void note_latency(Server& server, Duration took) noexcept;

}  // namespace headgate::balance
