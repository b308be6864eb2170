#pragma once
// One page of the usage report, as lines of JSON. No I/O.

#include "headgate/config/config.hpp"
#include "headgate/limit/ledger.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace headgate::services {

/// A position in the report of a day. Records are ordered as in the ledger: by bucket, then by field. The order does
/// not change when use is added.
struct UsagePosition {
  unsigned bucket = 0;
  std::string field;  ///< Field after which the page begins; empty for the beginning of the bucket.
};

struct UsageQuestion {
  static constexpr std::size_t kMaxCount = 10'000;
  limit::Day day;
  std::string limit;  ///< Name of the limit; empty for all limits.
  UsagePosition after;
  std::size_t count = 1000;  ///< Maximum number of records.
};

/// Encodes a position in the report of this day and this limit.
std::string cursor_text(const UsageQuestion& question, const UsagePosition& at);
/// Decodes a cursor. Returns nothing if `text` is not a cursor, or is one of another report.
std::optional<UsagePosition> read_cursor(const UsageQuestion& question, std::string_view text);

/// Returns the unit of a limit's permits, such as "money"; empty for requests and for a limit that no longer exists.
std::string unit_of(const config::Config& config, std::string_view limit);
/// Returns the owner of the API key in a limit's key; empty if there is none.
std::string owner_of(const config::Config& config, std::string_view limit, std::string_view key);

/// Collects the records of one page.
class UsagePage {
 public:
  explicit UsagePage(UsageQuestion question) : question_(std::move(question)), bucket_(question_.after.bucket) {}

  const UsageQuestion& question() const noexcept { return question_; }
  bool done() const noexcept { return lacks() == 0 || bucket_ >= limit::kBuckets; }
  unsigned bucket() const noexcept { return bucket_; }  ///< Returns the next bucket to read.
  std::size_t lacks() const noexcept { return question_.count - records_.size(); }
  /// Takes buckets from bucket() on, without gaps.
  void take(std::vector<limit::LedgerBucket>&& buckets);
  /// Returns a line for each record. `complete` says that the day is over, and that all gateways that reach Redis have
  /// added their use.
  std::string lines(const config::Config& config, bool complete) const;

 private:
  struct Record {
    unsigned bucket = 0;
    std::string field;
    limit::Use use;
  };

  UsageQuestion question_;
  unsigned bucket_;
  std::vector<Record> records_;
};

}  // namespace headgate::services
