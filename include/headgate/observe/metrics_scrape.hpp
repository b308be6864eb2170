#pragma once
// One scrape of all metrics, and its text. Collectors add the metrics of other modules.

#include "headgate/observe/exemplars.hpp"
#include "headgate/observe/metrics_family.hpp"

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace headgate::observe {

/// The values of a family's labels, in the family's order. They always come from a small fixed set, such as the names
/// of limits, and are never a key, an address or a path.
using LabelValues = std::vector<std::string>;

/// Collects the series of one scrape. One thread.
class Scrape {
 public:
  /// Adds a value of a counter or a gauge. If a series is added twice, counters are summed and the last gauge wins.
  void value(const Family& family, const LabelValues& labels, double value);
  /// Adds a part of a gauge. Parts of the same series are summed.
  void level(const Family& family, const LabelValues& labels, double value);
  /// Adds a histogram. `counts` has one number per bucket, not cumulative, and thus one more than the family has
  /// bounds. If a series is added twice, both are summed.
  void histogram(const Family& family, const LabelValues& labels, std::span<const std::uint64_t> counts, Duration sum);

  /// Adds an exemplar to a bucket of a histogram that has been added. Only the newest exemplar of a bucket is kept.
  void exemplar(const Family& family, const LabelValues& labels, std::size_t bucket, Exemplar exemplar);

  /// Returns the number of series so far, as a scraper counts them: a histogram has one for each bucket and two more.
  std::size_t series() const noexcept;

  /// Returns the Prometheus text format 0.0.4, with families in the order of the table.
  std::string text() const;
  /// Returns OpenMetrics 1.0 with exemplars. There are no `_created` lines, because Prometheus 2 makes a series of
  /// each, which would double the stored series. All counters were 0 at process_start_time_seconds.
  std::string open_metrics() const;

 private:
  struct Sample {
    double value = 0;
    std::vector<std::uint64_t> counts;
    Duration sum{0};
    std::map<std::size_t, Exemplar> exemplars{};  ///< exemplars by bucket
  };
  std::map<const Family*, std::map<LabelValues, Sample>> samples_;
};

}  // namespace headgate::observe
