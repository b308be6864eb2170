#pragma once
// The billed use of this gateway that the ledger does not have yet, in batches.

#include "headgate/limit/ledger.hpp"
#include "headgate/limit/use_sheet.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>

namespace headgate::limit {

/// One thread. No I/O. Memory is bounded by keys and not by requests: what a key uses while the ledger is away is one
/// sum for each day.
class LedgerQueue {
 public:
  static constexpr std::size_t kMaxKeys = 262'144;  ///< how many wait at most, those of batches included
  static constexpr std::size_t kMaxBatch = 512;     ///< fields of a batch

  /// Takes what a worker has counted. Tells what found no place; what a key that waits already has used always does.
  Use add(UseSheet::Taken&& taken);
  /// The batch of this lane that is to be sent, always the same one until it is acknowledged; null: nothing waits. It
  /// stays where it is until then.
  const LedgerBatch* next(unsigned lane);
  /// The ledger has the batch that next() gave.
  void acknowledge(unsigned lane);

  bool empty() const noexcept { return keys_ == 0; }
  std::size_t keys() const noexcept { return keys_; }
  Use waiting() const;            ///< the sum of all that waits
  bool waits_for(Day day) const;  ///< whether anything of that day waits

 private:
  struct Lane {
    std::map<Day, UseByField> days;
    std::optional<LedgerBatch> batch;
    std::uint64_t number = 0;  ///< of the last batch
  };

  std::array<Lane, kLanes> lanes_;
  std::size_t keys_ = 0;
};

}  // namespace headgate::limit
