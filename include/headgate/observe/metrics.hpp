#pragma once
// The metrics registry of this process. Series are created when a configuration is loaded; the request path only adds
// to their counters.

#include "headgate/observe/limit_top.hpp"
#include "headgate/observe/metric_types.hpp"
#include "headgate/observe/metrics_scrape.hpp"
#include "headgate/observe/route_series.hpp"
#include "headgate/observe/traffic.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>

namespace headgate::observe {

/// The writer of a counter: a worker's number from 0, or the main thread. Counters of two writers never share a cache
/// line.
using Writer = std::uint32_t;
inline constexpr Writer kMainThread = ~Writer{0};

/// The key in a CodeTable for attempts without an answer.
inline constexpr CodeTable::Key kNoCode = 1;

/// The registry; one per process. It outlives all users of its counters. Any thread may create or find series and
/// scrape, but a counter is written only by its one writer. Nothing is ever removed: after a reload the same labels
/// have the same counter, so no counter decreases.
class Registry {
 public:
  Registry();
  ~Registry();
  Registry(const Registry&) = delete;
  Registry& operator=(const Registry&) = delete;

  Counter& counter(Writer writer, const Family& family, const LabelValues& labels);
  Histogram& histogram(Writer writer, const Family& family, const LabelValues& labels);
  Gauge& gauge(const Family& family, const LabelValues& labels);
  /// Returns a gauge whose value is the sum over its writers.
  Level& level(Writer writer, const Family& family, const LabelValues& labels);

  /// Returns a table of counters. `first` are the first labels; `spell` makes the last labels from a key.
  using Spell = LabelValues (*)(CounterTable::Key key);
  CounterTable& table(Writer writer, const Family& family, const LabelValues& first, Spell spell);

  /// Returns counters by status; `first` are the labels before the status.
  CodeTable& codes(Writer writer, const Family& family, const LabelValues& first);

  /// Returns the route counters of a worker. Unlike other series they are created while requests are served.
  WorkerRoutes& routes(Writer writer);

  /// Returns the sketches of the keys that this worker's limits reject and allow most. They are not part of the text of
  /// a scrape. That worker's thread only.
  WorkerTops& tops(Writer writer);

  /// Adds a collector for the lifetime of the registry. Collectors run at each scrape on the scraping thread, never two
  /// at once.
  using Collector = std::function<void(Scrape&)>;
  void collect(Collector collector);

  /// Returns the counters of `family` whose labels begin with `first`, summed over all writers and grouped by the label
  /// at index `by`.
  std::map<std::string, std::uint64_t> sums(const Family& family, const LabelValues& first, std::size_t by) const;

  /// Returns the counters of `family` by their labels, summed over all writers.
  std::map<LabelValues, std::uint64_t> all(const Family& family) const;

  /// Returns the traffic of all routes and writers. Takes time proportional to the number of routes that have series.
  Traffic traffic() const;
  /// Returns the traffic by route: at most CountedRoutes::kMax routes, and two more entries.
  TrafficByRoute traffic_by_route() const;
  /// Returns the number of routes that have series of their own.
  std::size_t counted_routes() const;

  /// The gauges of `family` whose labels begin with `first`.
  struct GaugeReading {
    double sum = 0;
    double highest = 0;
  };
  GaugeReading gauges(const Family& family, const LabelValues& first) const;

  /// Returns all metrics as text. The call may take long, so make it on the admin thread and not on a worker.
  std::string text() const;
  /// Returns all metrics as OpenMetrics. The call may take as long as text().
  std::string open_metrics() const;

 private:
  Scrape scrape() const;
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace headgate::observe
