#pragma once
// The servers of an upstream as a balancing policy sees them. Knows nothing of connections.

#include "headgate/core/time.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

namespace headgate::balance {

/// Whether a server may be chosen.
enum class State : std::uint8_t {
  up,
  down  ///< it was ejected, or failed its health check
};

/// One server. Only `state` may be used by other threads than the worker that owns the table.
struct Server {
  std::atomic<State> state{State::up};  ///< written by any thread
  std::uint32_t weight = 1;             ///< its share of the requests, relative to the other weights; at least 1
  std::uint32_t in_flight = 0;          ///< exchanges under way with this server
  Duration latency{0};                  ///< the average time until an answer's head; 0 before the first
};

/// The servers of one upstream, in the order of its options. Belongs to one worker.
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

/// Adds one answer's time to the average, with a weight of one eighth: the average follows a change within about ten
/// answers.
void note_latency(Server& server, Duration took) noexcept;

}  // namespace headgate::balance
