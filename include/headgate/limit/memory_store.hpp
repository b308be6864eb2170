#pragma once
// The embedded store: one per process, shared by all workers, bounded in keys.

#include "headgate/limit/limit.hpp"

#include <cstddef>
#include <memory>
#include <span>

namespace headgate::limit {

struct MemoryOptions {
  /// The bound, at least 1: 80 bytes each. Beyond it counters that are full again are forgotten first, which loses
  /// nothing, then the least used. Chance may fill a share of the table a little (1 %) before the whole.
  std::size_t max_keys = 1'000'000;
};

/// Counters in memory, striped by key so that workers seldom meet. Any thread. Never blocks longer than
/// a few stripes' locks, and does no work that grows with the number of keys.
/// Asks of one call that mean one counter are one question with the sum of their costs, in the strictest of their ways
/// (take, then trial, then charge), and get one verdict.
class MemoryStore {
 public:
  explicit MemoryStore(MemoryOptions options);
  ~MemoryStore();
  MemoryStore(const MemoryStore&) = delete;
  MemoryStore& operator=(const MemoryStore&) = delete;

  /// Asks every rule, then takes from all of them or from none (but see How). Returns whether the call goes through;
  /// `verdicts[i]` answers `asks[i]`. `now` may differ between callers by clock skew; time never runs backwards for a
  /// key.
  bool decide(std::span<const Ask> asks, Instant now, std::span<Verdict> verdicts);

  /// Returns what an earlier decide took (asks as they were then, cost above 0; without those on trial that were
  /// refused): for when a later step refused the request.
  void give_back(std::span<const Ask> asks, Instant now);

  std::size_t keys() const noexcept;            ///< kept now
  std::uint64_t evicted_keys() const noexcept;  ///< forgotten though not full, since start

 private:
  struct Stripes;
  std::unique_ptr<Stripes> stripes_;
};

}  // namespace headgate::limit
