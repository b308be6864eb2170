#pragma once
// Statistics of the servers: names, health and counts. Any thread may read them while the worker writes.

#include "headgate/redis/limiter.hpp"

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace headgate::redis {

/// A counter with one writer and any number of readers.
class Count {
 public:
  /// Adds to the counter. Worker only. Because there is only one writer, a plain load and store are enough.
  void add(std::uint64_t more = 1) noexcept {
    value_.store(value_.load(std::memory_order_relaxed) + more, std::memory_order_relaxed);
  }
  std::uint64_t get() const noexcept { return value_.load(std::memory_order_relaxed); }

 private:
  std::atomic<std::uint64_t> value_{0};
};

/// The counts of one server. Lives as long as it has owners.
struct NodeStats {
  explicit NodeStats(std::string_view node) : name(node) {}

  void decided_after(Duration took) noexcept;  ///< worker only; counts one decision and its latency
  NodeStatus read() const;                     ///< any thread

  const std::string name;
  std::atomic<RedisHealth> health{RedisHealth::trying};
  Count sent, decided, timed_out, refused, not_sent, connects, writes;
  std::array<Count, kLatencyBounds.size() + 1> latency;
  Count latency_sum;  ///< in microseconds
};

/// The current servers and the sum of the past ones. Its lock is only taken to add or remove servers, and to read.
class NodeStatistics {
 public:
  std::shared_ptr<NodeStats> add(std::string_view name);
  /// Removes a server, and adds its counts to the totals so that these never decrease.
  void remove(const std::shared_ptr<NodeStats>& node);

  std::vector<NodeStatus> nodes() const;  ///< any thread
  Counters totals() const;                ///< any thread

 private:
  mutable std::mutex mutex_;
  std::vector<std::shared_ptr<NodeStats>> nodes_;
  Counters departed_;
};

}  // namespace headgate::redis
