#pragma once
// The metrics registry of this process. Series are made when a configuration is loaded; the request path only adds to
// their counters.

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

/// The key in a CodeTable of an attempt without an answer.
inline constexpr CodeTable::Key kNoCode = 1;

/// One per process. It outlives all users of its counters. Any thread may make series, find them again and scrape; only
/// its one writer may write a counter. Nothing is ever removed: after a reload the same labels have the same counter,
/// so no counter decreases.
class Registry {
 public:
  Registry();
  ~Registry();
  Registry(const Registry&) = delete;
  Registry& operator=(const Registry&) = delete;

  Counter& counter(Writer writer, const Family& family, const LabelValues& labels);
  Histogram& histogram(Writer writer, const Family& family, const LabelValues& labels);
  Gauge& gauge(const Family& family, const LabelValues& labels);
  /// A gauge that is the sum of what its writers have.
  Level& level(Writer writer, const Family& family, const LabelValues& labels);

  /// A table of counters. `first` are the first labels; `spell` makes the last labels from a key.
  using Spell = LabelValues (*)(CounterTable::Key key);
  CounterTable& table(Writer writer, const Family& family, const LabelValues& first, Spell spell);

  /// Counters by status; `first` are the labels before it.
  CodeTable& codes(Writer writer, const Family& family, const LabelValues& first);

  /// The counters of routes that this worker writes. Unlike the others they are made while requests are served.
  WorkerRoutes& routes(Writer writer);

  /// Who is limited, as this worker counts it. Its thread only; not part of the text.
  WorkerTops& tops(Writer writer);

  /// Adds a collector. It runs at every scrape, on the scraping thread, never two at once, as long as the registry
  /// lives.
  using Collector = std::function<void(Scrape&)>;
  void collect(Collector collector);

  /// The counters of `family` whose labels begin with `first`, over all writers, added up by the label at index `by`.
  std::map<std::string, std::uint64_t> sums(const Family& family, const LabelValues& first, std::size_t by) const;

  /// The counters of `family` by their labels, over all writers.
  std::map<LabelValues, std::uint64_t> all(const Family& family) const;

  /// All requests, over all routes and writers. Takes a time in proportion to the routes that have series.
  Traffic traffic() const;
  /// The same by route: at most CountedRoutes::kMax, and two more.
  TrafficByRoute traffic_by_route() const;
  /// How many routes have series of their own.
  std::size_t counted_routes() const;

  /// The gauges of `family` whose labels begin with `first`.
  struct GaugeReading {
    double sum = 0;
    double highest = 0;
  };
  GaugeReading gauges(const Family& family, const LabelValues& first) const;

  /// All metrics as text. May take long: for the admin thread, not for a worker.
  std::string text() const;
  /// The same as OpenMetrics.
  std::string open_metrics() const;

 private:
  Scrape scrape() const;
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace headgate::observe
