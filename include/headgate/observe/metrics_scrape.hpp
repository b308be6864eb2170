#pragma once
// One scrape of all metrics, and its text. Collectors add the metrics of other modules.

#include "headgate/observe/metrics_table.hpp"

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace headgate::observe {

/// Values of a family's labels, in the family's order. They always come from a small fixed set: the name of a limit,
/// never a key, an address or a path.
using LabelValues = std::vector<std::string>;

/// One thread.
class Scrape {
 public:
  /// Adds a value of a counter or a gauge. If a series is added twice, counters are summed, and the last gauge counts.
  void value(const Family& family, const LabelValues& labels, double value);
  /// Adds a histogram. `counts` has one number for each bucket, not cumulative, and one more than the family has
  /// bounds. If a series is added twice, both are summed.
  void histogram(const Family& family, const LabelValues& labels, std::span<const std::uint64_t> counts, Duration sum);

  /// The Prometheus text format 0.0.4, with families in the order of the table.
  std::string text() const;

 private:
  struct Sample {
    double value = 0;
    std::vector<std::uint64_t> counts;
    Duration sum{0};
  };
  std::map<const Family*, std::map<LabelValues, Sample>> samples_;
};

}  // namespace headgate::observe
