#pragma once
// What any thread may read of the servers while their worker writes it: who they are, how they are, what they were
// asked.

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

/// A count of one writer and any number of readers.
class Count {
 public:
  /// The worker only: with one writer a plain load and store are enough, and cost nothing.
  void add(std::uint64_t more = 1) noexcept {
    value_.store(value_.load(std::memory_order_relaxed) + more, std::memory_order_relaxed);
  }
  std::uint64_t get() const noexcept { return value_.load(std::memory_order_relaxed); }

 private:
  std::atomic<std::uint64_t> value_{0};
};

/// One server's numbers. Lives as long as anybody holds it.
struct NodeStats {
  explicit NodeStats(std::string_view node) : name(node) {}

  void decided_after(Duration took) noexcept;  ///< worker only: one decision, and how long it took
  NodeStatus read() const;                     ///< any thread

  const std::string name;
  std::atomic<Health> health{Health::trying};
  Count asked, decided, timed_out, refused, turned_away, connects, writes;
  std::array<Count, kLatencyBounds.size() + 1> latency;
  Count latency_sum;  ///< in microseconds
};

/// The servers as they are now, and the sum of those that were. Locked only when a server comes or goes, or is read.
class Roster {
 public:
  std::shared_ptr<NodeStats> add(std::string_view name);
  /// Keeps its counters in the totals, so that they never go backwards.
  void remove(const std::shared_ptr<NodeStats>& node);

  std::vector<NodeStatus> nodes() const;  ///< any thread
  Counters totals() const;                ///< any thread

 private:
  mutable std::mutex mutex_;
  std::vector<std::shared_ptr<NodeStats>> nodes_;
  Counters departed_;
};

}  // namespace headgate::redis
