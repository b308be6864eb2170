#pragma once
// The use of billed limits by one key, per day and per month. No I/O.

#include "headgate/core/time.hpp"
#include "headgate/limit/calendar.hpp"
#include "headgate/limit/ledger.hpp"

#include <chrono>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace headgate::services {

struct HistoryQuestion {
  /// Maximum number of days that are read, over all limits together.
  static constexpr std::size_t kMaxReads = 4000;

  struct Counter {
    std::string limit;
    std::string key;     ///< The key as the limit counts it.
    std::string named;   ///< The key as answers show it.
    std::string unit{};  ///< The unit of the limit, such as "money"; empty for requests.
  };
  std::vector<Counter> counters;
  limit::Day from;
  limit::Day to;  ///< The last day of the history.
};

/// Collects the days of one key.
class UsageHistory {
 public:
  explicit UsageHistory(HistoryQuestion question);

  /// The ledger bucket to read next.
  struct Wanted {
    limit::Day day;
    unsigned bucket = 0;
  };
  std::optional<Wanted> next() const;
  /// Takes the bucket that next() returned, and optionally the buckets after it.
  void take(const std::vector<limit::LedgerBucket>& buckets);

  /// Facts that are shown in addition to the sums.
  struct About {
    std::string zone;                                 ///< The time zone of the days.
    limit::Day kept_from;                             ///< The first day that the ledger still has.
    std::function<bool(limit::Day day)> is_complete;  ///< Tells whether a day that was read gets no more use.
  };
  /// Returns JSON without the days that have no use. Call it when all buckets were read.
  std::string text(const About& about) const;

 private:
  struct Row {
    limit::Day day;
    limit::Use use;
  };

  HistoryQuestion question_;
  std::vector<std::string> fields_;     // The ledger field of each counter.
  std::vector<std::vector<Row>> rows_;  // The rows of each counter.
  std::size_t counter_ = 0;
  limit::Day day_;
};

}  // namespace headgate::services
