#pragma once
// The embedded store: one per process, shared by all workers, bounded in keys.

#include <cstddef>
#include <memory>
#include <span>

#include "headgate/limit/limit.hpp"

namespace headgate::limit {

struct MemoryOptions {
  std::size_t max_keys = 1'000'000;  ///< the bound; beyond it keys that are full again are forgotten first, then the least used
};

/// Counters in memory, striped by key so that workers seldom meet. Any thread. Never blocks longer than a few stripes' locks.
class MemoryStore {
 public:
  explicit MemoryStore(MemoryOptions options);
  ~MemoryStore();
  MemoryStore(const MemoryStore&) = delete;
  MemoryStore& operator=(const MemoryStore&) = delete;

  /// Asks every rule, then takes from all of them or from none. Returns whether all agreed; `verdicts[i]` answers `asks[i]`.
  /// `now` may differ between callers by clock skew; time never runs backwards for a key.
  bool decide(std::span<const Ask> asks, Instant now, std::span<Verdict> verdicts);

  /// Returns what an earlier decide took (asks as they were then, cost above 0): for when a later step refused the request.
  void give_back(std::span<const Ask> asks, Instant now);

  std::size_t keys() const noexcept;           ///< kept now
  std::uint64_t evicted_keys() const noexcept;  ///< forgotten though not full, since start

 private:
  struct Stripes;
  std::unique_ptr<Stripes> stripes_;
};

}  // namespace headgate::limit
