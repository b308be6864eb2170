#pragma once
// A queue of requests that wait for a place at an upstream, fair to their callers.

#include "headgate/core/hash.hpp"
#include "headgate/shed/priority.hpp"

#include <boost/intrusive/list.hpp>
#include <boost/unordered/unordered_flat_map.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <list>
#include <set>
#include <utility>

namespace headgate::shed {

/// A waiting request. It lives in the frame of its coroutine while it waits.
struct Waiter : boost::intrusive::list_base_hook<> {
  Hash key;  ///< The caller of the request.
  Priority priority = Priority::normal;
  std::uint32_t cost = 1;  ///< Amount that is charged to the caller's turn for this request; at least 1.
  bool queued = false;
  /// Called when the request was served and has left the queue. The function must take the place at the upstream at
  /// once, and must not throw.
  void (*admitted)(Waiter& self) = nullptr;
};

/// A bounded queue with one line per caller, served by deficit round robin (Shreedhar and Varghese, 1995): in each
/// round every caller gets the same amount, so a thousand waiting requests of one caller do not delay the only request
/// of another. Within a line, requests are served in order of arrival. Higher priorities go before lower ones.
///
/// If the queue is full, the longest line of the lowest priority loses its last request, provided that the newcomer has
/// a higher priority or its own line is shorter. So no caller can fill the queue for others.
///
/// A state machine without a clock. It keeps nothing about requests that have left. One thread. Each operation takes
/// time logarithmic in the number of lines.
class FairQueue {
 public:
  /// The amount that a caller gets in each round.
  static constexpr std::uint32_t kQuantum = 1;

  explicit FairQueue(std::size_t bound) noexcept : bound_(bound) {}
  FairQueue(const FairQueue&) = delete;
  FairQueue& operator=(const FairQueue&) = delete;

  /// Appends `waiter` to its caller's line. Returns the request that has to leave instead, which is `waiter` itself if
  /// it is not accepted; null if there is room.
  Waiter* push(Waiter& waiter);
  /// Returns the next request, which stays in the queue; null if there is none.
  Waiter* next();
  /// Removes a request, whether it was served or not.
  void remove(Waiter& waiter) noexcept;
  /// Serves `waiter`, which next() has returned: charges the cost of the request to its caller's turn, and removes the
  /// request.
  void serve(Waiter& waiter) noexcept;

  std::size_t size() const noexcept { return size_; }
  bool empty() const noexcept { return size_ == 0; }
  /// Sets the maximum number of waiting requests. If more are waiting already, they stay.
  void bound(std::size_t most) noexcept { bound_ = most; }

 private:
  struct Line {
    Hash key;
    boost::intrusive::list<Waiter> waiters;
    std::uint32_t deficit = 0;
    bool has_turn = false;  ///< True once the caller has received its amount for this round.
  };
  using Lines = std::list<Line>;
  struct ByLow {
    std::size_t operator()(const Hash& hash) const noexcept { return static_cast<std::size_t>(hash.low); }
  };
  struct Rank {
    Lines lines;  ///< Lines in the order of their turns.
    boost::unordered_flat_map<Hash, Lines::iterator, ByLow> by_key;
    std::set<std::pair<std::size_t, std::pair<std::uint64_t, std::uint64_t>>> by_length;
  };

  Rank& rank_of(Priority priority) noexcept { return ranks_[static_cast<std::size_t>(priority)]; }
  static std::pair<std::size_t, std::pair<std::uint64_t, std::uint64_t>> place(const Line& line) noexcept {
    return {line.waiters.size(), {line.key.low, line.key.high}};
  }
  Waiter* last_of_longest(const Waiter& newcomer) noexcept;

  std::array<Rank, kPriorities> ranks_;
  std::size_t bound_;
  std::size_t size_ = 0;
};

}  // namespace headgate::shed
