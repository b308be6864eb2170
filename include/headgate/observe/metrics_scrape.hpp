#pragma once
// One look at everything that is counted, and its text. Collectors add to it what other modules keep by themselves.

#include "headgate/observe/metrics_table.hpp"

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace headgate::observe {

/// Values of a family's labels, in the order it names them. Always of a small fixed set: the name of a limit, never a
/// key, an address or a path.
using LabelValues = std::vector<std::string>;

/// One thread.
class Scrape {
 public:
  /// A counter's or gauge's. The same series told twice: counters are added up, of gauges the last is shown.
  void value(const Family& family, const LabelValues& labels, double value);
  /// `counts`: how many fell into each bucket alone, one more than the family has bounds. Told twice: added up.
  void histogram(const Family& family, const LabelValues& labels, std::span<const std::uint64_t> counts, Duration sum);

  /// As Prometheus reads it (text format 0.0.4), families in the order of the table.
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
