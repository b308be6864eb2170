#pragma once
// What one key has used of billed limits, day by day and in months. No I/O.

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
  /// How many days of all limits together are read at most.
  static constexpr std::size_t kMaxReads = 4000;

  struct Counter {
    std::string limit;
    std::string key;    ///< as the limit counts it
    std::string named;  ///< as answers name it
  };
  std::vector<Counter> counters;
  limit::Day from;
  limit::Day to;  ///< the last one
};

/// Collects the days of one key.
class UsageHistory {
 public:
  explicit UsageHistory(HistoryQuestion question);

  /// A bucket of the ledger that is to be read next; nothing: all were read.
  struct Wanted {
    limit::Day day;
    unsigned bucket = 0;
  };
  std::optional<Wanted> next() const;
  /// What next() wanted, and maybe buckets behind it.
  void take(const std::vector<limit::LedgerBucket>& buckets);

  /// What is told beside the sums.
  struct About {
    std::string zone;                                 ///< in which days are
    limit::Day kept_from;                             ///< the first day that the ledger still has
    std::function<bool(limit::Day day)> is_complete;  ///< of those that were read: whether nothing was added any more
  };
  /// As JSON. Days without use are left out. Call it when all were read.
  std::string text(const About& about) const;

 private:
  struct Row {
    limit::Day day;
    limit::Use use;
  };

  HistoryQuestion question_;
  std::vector<std::string> fields_;     // of each counter
  std::vector<std::vector<Row>> rows_;  // the same
  std::size_t counter_ = 0;
  limit::Day day_;
};

}  // namespace headgate::services
