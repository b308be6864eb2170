#pragma once
// The counters of routes. There may be 100,000 routes, so the counters of a route are created by its first request, and
// only CountedRoutes::kMax routes have series of their own.

#include "headgate/observe/exemplars.hpp"
#include "headgate/observe/metric_types.hpp"

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

namespace headgate::observe {

class Scrape;
struct Traffic;

/// The routes that have series of their own: the first kMax that get a request. One per process; any thread. A name is
/// kept over a reload, because the counters of the route are kept too.
class CountedRoutes {
 public:
  /// Most routes with series of their own. A route with traffic has about 40 lines in a scrape, so a scrape has at most
  /// about 5 MB and 40,000 series.
  static constexpr std::size_t kMax = 1'000;

  /// Returns whether the route has series of its own. The answer for a route never changes. Holds a lock for one
  /// lookup.
  bool claim(std::string_view route);
  std::size_t size() const;

 private:
  mutable std::mutex mutex_;
  std::unordered_set<std::string> names_;
};

/// The reason that a request went to the upstream of `on_reject`.
enum class Elsewhere : std::uint8_t { limit, circuit };
inline constexpr std::array<std::string_view, 2> kElsewhereWords{"limit", "circuit"};

/// One worker's counters of one route.
struct alignas(64) RouteSeries {
  explicit RouteSeries(std::string_view name);
  ~RouteSeries();
  RouteSeries(const RouteSeries&) = delete;
  RouteSeries& operator=(const RouteSeries&) = delete;

  /// Adds the counters of requests that went to another upstream to the scrape. Most routes have none of them.
  /// Any thread.
  void read_elsewhere(Scrape& scrape) const;

  const std::string route;
  CounterTable requests;  ///< counters by method and status
  Histogram seconds;
  Histogram overhead;
  Counter received;  ///< bytes of request bodies
  Counter sent;      ///< bytes of answers
  Level in_flight;
  std::array<Counter, kElsewhereWords.size()> elsewhere;
  std::atomic<CounterTable*> auth_results{nullptr};  ///< null until a credential was checked; owned
  std::atomic<CounterTable*> grpc{nullptr};    ///< counters by GrpcStatus; null until a gRPC call was answered; owned
  std::atomic<Exemplars*> exemplars{nullptr};  ///< exemplars of `seconds`; null until a request had a trace; owned
  std::unique_ptr<RouteSeries> before{};  ///< next in the worker's list: the series that was created before this one
};

/// One worker's counters of all routes, which live as long as this object. A scrape reads them while the worker writes
/// and creates more; neither waits for the other.
class WorkerRoutes {
 public:
  /// The shared name of all routes without series of their own.
  static constexpr std::string_view kOther = "_OTHER";

  explicit WorkerRoutes(CountedRoutes& counted) : counted_(counted) {}
  ~WorkerRoutes();
  WorkerRoutes(const WorkerRoutes&) = delete;
  WorkerRoutes& operator=(const WorkerRoutes&) = delete;

  /// Returns the counters of this route, or those of kOther, and creates missing ones. That worker's thread only.
  RouteSeries& of(std::string_view route);
  /// Adds all series to the scrape. Any thread.
  void read(Scrape& scrape) const;
  /// Adds the counts of all routes. Any thread.
  void add_to(Traffic& traffic) const;
  /// Adds the counts of each route. Any thread.
  void add_to(std::map<std::string, Traffic, std::less<>>& by_route) const;

 private:
  RouteSeries& find_or_make(std::string_view name);

  CountedRoutes& counted_;
  std::atomic<RouteSeries*> newest_{nullptr};
  std::unordered_map<std::string_view, RouteSeries*> by_name_;  // that worker's thread only
};

}  // namespace headgate::observe
