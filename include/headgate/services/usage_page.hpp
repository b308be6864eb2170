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

/// A place in the report of a day. Its order is that of the ledger: by bucket, then by field. It is the same whatever
/// is added meanwhile.
struct UsagePosition {
  unsigned bucket = 0;
  std::string field;  ///< behind this one; empty: from the beginning of the bucket
};

struct UsageQuestion {
  static constexpr std::size_t kMaxCount = 10'000;
  limit::Day day;
  std::string limit;  ///< empty: all
  UsagePosition after;
  std::size_t count = 1000;  ///< records at most
};

/// A position as text, for a report of this day and this limit.
std::string cursor_text(const UsageQuestion& question, const UsagePosition& at);
/// Nothing if `text` is no cursor, or one of another report.
std::optional<UsagePosition> read_cursor(const UsageQuestion& question, std::string_view text);

/// The owner of the API key that a limit's key has; empty if there is none.
std::string owner_of(const config::Config& config, std::string_view limit, std::string_view key);

/// Collects the records of one page.
class UsagePage {
 public:
  explicit UsagePage(UsageQuestion question) : question_(std::move(question)), bucket_(question_.after.bucket) {}

  const UsageQuestion& question() const noexcept { return question_; }
  bool done() const noexcept { return lacks() == 0 || bucket_ >= limit::kBuckets; }
  unsigned bucket() const noexcept { return bucket_; }  ///< the next to be read
  std::size_t lacks() const noexcept { return question_.count - records_.size(); }
  /// Buckets from bucket() on, without gaps.
  void take(std::vector<limit::LedgerBucket>&& buckets);
  /// A line for each record. `complete`: the day is over, and all gateways that reach Redis have told what they know.
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
