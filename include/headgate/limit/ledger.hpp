#pragma once
// The ledger: what each key of a billed limit has used, summed for each day over all gateways. Here are its types and
// its interface; redis/ledger is what runs.

#include "headgate/core/result.hpp"
#include "headgate/core/task.hpp"
#include "headgate/core/time.hpp"

#include <boost/unordered/unordered_flat_map.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace headgate::limit {

using Day = std::chrono::sys_days;  ///< a date of the calendar that bills go by

/// Nothing if `text` is not a date that exists, in this form.
std::optional<Day> parse_day(std::string_view text) noexcept;

/// What one key has used.
struct Use {
  std::uint64_t used = 0;      ///< the sum of the costs
  std::uint64_t requests = 0;  ///< how many requests cost that
  bool operator==(const Use&) const = default;
  Use& operator+=(const Use& more) noexcept {
    used += more.used;
    requests += more.requests;
    return *this;
  }
};

/// Names what is summed: the limit's name, a space, and the key. A name has no space, so a key may have any bytes.
void write_ledger_field(std::string& out, std::string_view limit, std::string_view key);
struct LedgerField {
  std::string_view limit;
  std::string_view key;
};
/// Both are views into `field`. Nothing if nobody can have written it.
std::optional<LedgerField> read_ledger_field(std::string_view field) noexcept;

struct FieldHash {
  using is_transparent = void;
  std::size_t operator()(std::string_view field) const noexcept { return std::hash<std::string_view>()(field); }
};
using UseByField = boost::unordered_flat_map<std::string, Use, FieldHash, std::equal_to<>>;

/// A day has kBuckets buckets of fields, and a lane is a run of them that lies in one slot of a cluster. All gateways,
/// also of other versions, put a field into the same bucket.
inline constexpr unsigned kLanes = 16;
inline constexpr unsigned kBucketsOfLane = 64;
inline constexpr unsigned kBuckets = kLanes * kBucketsOfLane;
/// Who chooses its key can choose its bucket, and fill that one: then it harms one in kBuckets of the others, those
/// that were not in it before. A secret that all gateways know would prevent that.
unsigned bucket_of(std::string_view field) noexcept;
inline constexpr unsigned lane_of(unsigned bucket) noexcept { return bucket / kBucketsOfLane; }

/// What one gateway adds in one call. A lane's batches are added one after the other, each until it is acknowledged.
struct LedgerBatch {
  Day day;
  unsigned lane = 0;
  std::uint64_t number = 0;  ///< from 1; each batch of a lane has a higher one than the batch before it
  std::vector<std::pair<std::string, Use>> uses;  ///< each field once, all of this lane
};

/// The fields of one bucket, in their order.
struct LedgerBucket {
  unsigned number = 0;
  std::vector<std::pair<std::string, Use>> uses;
};

/// One thread.
class Ledger {
 public:
  virtual ~Ledger() = default;
  /// No error once the ledger has the batch: then it counts once, however often it was sent. Tells what found no place,
  /// because a bucket is full. The day stays for `kept` from now. `batch` must outlive the await.
  virtual Task<Result<Use>> add(const LedgerBatch& batch, Duration kept) = 0;
  /// Whole buckets from `bucket` on: as many as have `most` fields together, and no further than its lane. At least
  /// one; with 0 only that one.
  virtual Task<Result<std::vector<LedgerBucket>>> read(Day day, unsigned bucket, std::size_t most) = 0;
  /// Ends its connections; calls under way fail.
  virtual void stop() = 0;
};

}  // namespace headgate::limit
