#pragma once
// The ledger: the use of each key of a billed limit, summed per day over all gateways. This file has the types and the
// interface; redis/ledger implements it. Used by services and redis.

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

using Day = std::chrono::sys_days;  ///< a date of the billing calendar

/// Parses a date such as "2026-11-22"; empty if `text` is not an existing date in this form.
std::optional<Day> parse_day(std::string_view text) noexcept;

/// The use of one key.
struct Use {
  std::uint64_t used = 0;      ///< sum of the costs
  std::uint64_t requests = 0;  ///< number of requests with these costs
  bool operator==(const Use&) const = default;
  Use& operator+=(const Use& more) noexcept {
    used += more.used;
    requests += more.requests;
    return *this;
  }
};

/// Writes the name of a sum: the limit's name, a space, and the key. A limit's name has no space, so a key may contain
/// any bytes.
void write_ledger_field(std::string& out, std::string_view limit, std::string_view key);
struct LedgerField {
  std::string_view limit;
  std::string_view key;
};
/// Parses a name into views of `field`; empty if no gateway can have written it.
std::optional<LedgerField> read_ledger_field(std::string_view field) noexcept;

struct FieldHash {
  using is_transparent = void;
  std::size_t operator()(std::string_view field) const noexcept { return std::hash<std::string_view>()(field); }
};
using UseByField = boost::unordered_flat_map<std::string, Use, FieldHash, std::equal_to<>>;

/// Number of lanes. A day has kBuckets buckets of fields, and a lane is a range of buckets in one slot of a cluster.
/// All gateways, including other versions, put a field into the same bucket.
inline constexpr unsigned kLanes = 16;
inline constexpr unsigned kBucketsOfLane = 64;
inline constexpr unsigned kBuckets = kLanes * kBucketsOfLane;
/// Returns the bucket of a field. A client that can choose its key can choose its bucket and fill it. The ledger then
/// has no room for new keys in that bucket, which are one in kBuckets of all keys. A secret that all gateways know
/// would prevent this.
unsigned bucket_of(std::string_view field) noexcept;
inline constexpr unsigned lane_of(unsigned bucket) noexcept { return bucket / kBucketsOfLane; }

/// The use that one gateway adds in one call. The batches of a lane are added one after another, each until it is
/// acknowledged.
struct LedgerBatch {
  Day day;
  unsigned lane = 0;
  /// number of the batch, from 1; each batch of a lane has a higher number than the one before
  std::uint64_t number = 0;
  std::vector<std::pair<std::string, Use>> uses;  ///< each field once, all in this lane
};

/// The fields of one bucket, in order.
struct LedgerBucket {
  unsigned number = 0;
  std::vector<std::pair<std::string, Use>> uses;
};

/// The interface of the ledger. One thread.
class Ledger {
 public:
  virtual ~Ledger() = default;
  /// Adds a batch. The call succeeds once the ledger has the batch, which counts once even if it was sent several
  /// times. Returns the use that was rejected because a bucket is full. The day is kept for `kept` from now. `batch`
  /// must outlive the await.
  virtual Task<Result<Use>> add(const LedgerBatch& batch, Duration kept) = 0;
  /// Reads whole buckets from `bucket` on, until they have `most` fields together or the lane ends. Reads at least one
  /// bucket, and exactly one if `most` is 0.
  virtual Task<Result<std::vector<LedgerBucket>>> read(Day day, unsigned bucket, std::size_t most) = 0;
  /// Closes the connections of this object; calls under way fail.
  virtual void stop() = 0;
};

}  // namespace headgate::limit
