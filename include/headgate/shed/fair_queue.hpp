#pragma once
// Requests that wait for a place at an upstream, in an order that is fair to their callers.

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

/// One request that waits. It lives as long as it waits: in the frame of its coroutine.
struct Waiter : boost::intrusive::list_base_hook<> {
  Hash key;  ///< whose request it is
  Priority priority = Priority::normal;
  std::uint32_t cost = 1;  ///< at least 1: how much of its caller's turn it takes
  bool queued = false;
  /// Called when it was served and has left the queue. It takes its place at once, and must not throw.
  void (*admitted)(Waiter& self) = nullptr;
};

/// A bounded queue with one line for each caller, served by deficit round robin (Shreedhar and Varghese, 1995): in each
/// round a caller gets the same amount, so a thousand waiting requests of one do not delay the only request of
/// another. Within a line, first come first served. A higher priority goes before a lower one.
///
/// Full: the longest line of the lowest priority loses its last request, if the newcomer has a higher priority or its
/// own line is shorter. So nobody can fill the queue for others.
///
/// A state machine, without clock and memory of requests that have left. One thread. Each operation takes time
/// logarithmic in the number of lines.
class FairQueue {
 public:
  /// What a caller gets in each round.
  static constexpr std::uint32_t kQuantum = 1;

  explicit FairQueue(std::size_t bound) noexcept : bound_(bound) {}
  FairQueue(const FairQueue&) = delete;
  FairQueue& operator=(const FairQueue&) = delete;

  /// Puts `waiter` at the end of its caller's line. Returns the request that has to leave for it, which is `waiter`
  /// itself if it is not taken; null if there is room.
  Waiter* push(Waiter& waiter);
  /// The request that is next, or null. It stays in the queue.
  Waiter* next();
  /// Takes it out, whether it was served or not.
  void remove(Waiter& waiter) noexcept;
  /// `waiter` was next() and is served: it takes its part of its caller's turn. Takes it out.
  void serve(Waiter& waiter) noexcept;

  std::size_t size() const noexcept { return size_; }
  bool empty() const noexcept { return size_ == 0; }
  /// Changes how many may wait. Those beyond it stay.
  void bound(std::size_t most) noexcept { bound_ = most; }

 private:
  struct Line {
    Hash key;
    boost::intrusive::list<Waiter> waiters;
    std::uint32_t deficit = 0;
    bool has_turn = false;  ///< has got its amount for this round
  };
  using Lines = std::list<Line>;
  struct ByLow {
    std::size_t operator()(const Hash& hash) const noexcept { return static_cast<std::size_t>(hash.low); }
  };
  struct Rank {
    Lines lines;  ///< in the order of their turns
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
