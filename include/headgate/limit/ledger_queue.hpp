#pragma once
// The billed use of this gateway that the ledger does not have yet, in batches. Used by services.

#include "headgate/limit/ledger.hpp"
#include "headgate/limit/use_sheet.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>

namespace headgate::limit {

/// The queue. One thread. No I/O. Memory is bounded by keys rather than requests: while the ledger cannot be reached,
/// the use of a key is one sum per day.
class LedgerQueue {
 public:
  static constexpr std::size_t kMaxKeys = 262'144;  ///< maximum number of waiting keys, including those in batches
  static constexpr std::size_t kMaxBatch = 512;     ///< maximum number of fields of a batch

  /// Adds the use that a worker has counted. Returns the use for which there is no room; a key that is waiting already
  /// always has room.
  Use add(UseSheet::Content&& taken);
  /// Returns the batch of this lane to send, the same one until it is acknowledged; null if nothing waits. The batch
  /// keeps its address until then.
  const LedgerBatch* next(unsigned lane);
  /// Removes the batch returned by next(), because the ledger has it.
  void acknowledge(unsigned lane);

  bool empty() const noexcept { return keys_ == 0; }
  std::size_t keys() const noexcept { return keys_; }
  Use waiting() const;            ///< returns the sum of all waiting use
  bool waits_for(Day day) const;  ///< returns whether any use of that day waits

 private:
  struct Lane {
    std::map<Day, UseByField> days;
    std::optional<LedgerBatch> batch;
    std::uint64_t number = 0;  ///< number of the last batch
  };

  std::array<Lane, kLanes> lanes_;
  std::size_t keys_ = 0;
};

}  // namespace headgate::limit
