#pragma once
// The counters of routes. There may be 100,000 routes, so the counters of one are made by its first request, and only
// so many routes have series of their own.

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

/// Which routes have series of their own: the first kMax that get a request. One per process; any thread. A name stays
/// after a reload, because its counters do.
class CountedRoutes {
 public:
  /// A route with traffic has about 40 lines in a scrape, so this bounds a scrape to about 5 MB and 40,000 series.
  static constexpr std::size_t kMax = 1'000;

  /// Whether the route has series of its own, now and from now on. Holds a lock for one look-up.
  bool claim(std::string_view route);
  std::size_t size() const;

 private:
  mutable std::mutex mutex_;
  std::unordered_set<std::string> names_;
};

/// Why a request went to the upstream of `on_reject`.
enum class Elsewhere : std::uint8_t { limit, circuit };
inline constexpr std::array<std::string_view, 2> kElsewhereWords{"limit", "circuit"};

/// The counters of one route that one worker writes.
struct alignas(64) RouteSeries {
  explicit RouteSeries(std::string_view name);
  ~RouteSeries();
  RouteSeries(const RouteSeries&) = delete;
  RouteSeries& operator=(const RouteSeries&) = delete;

  /// Adds what was sent elsewhere to the scrape; most routes send nothing there, and have no such series. Any thread.
  void read_elsewhere(Scrape& scrape) const;

  const std::string route;
  CounterTable requests;  ///< by method and status
  Histogram seconds;
  Histogram overhead;
  Counter received;  ///< bytes of bodies
  Counter sent;      ///< bytes of answers
  Level in_flight;
  std::array<Counter, kElsewhereWords.size()> elsewhere;
  std::atomic<CounterTable*> auth_results{nullptr};  ///< null until a credential was checked; owned
  std::atomic<CounterTable*> grpc{nullptr};          ///< by GrpcStatus; null until a call of gRPC was answered; owned
  std::atomic<Exemplars*> exemplars{nullptr};        ///< of `seconds`; null until a request had a trace; owned
  std::unique_ptr<RouteSeries> before{};             ///< made before this one
};

/// The counters of all routes that one worker writes. They live as long as this. A scrape reads them while the worker
/// writes and makes more: neither waits for the other.
class WorkerRoutes {
 public:
  /// The name that all routes without series of their own share.
  static constexpr std::string_view kOther = "_OTHER";

  explicit WorkerRoutes(CountedRoutes& counted) : counted_(counted) {}
  ~WorkerRoutes();
  WorkerRoutes(const WorkerRoutes&) = delete;
  WorkerRoutes& operator=(const WorkerRoutes&) = delete;

  /// The counters of this route, or those of kOther. Makes them if they are not there. That worker's thread only.
  RouteSeries& of(std::string_view route);
  /// Adds all of them to the scrape. Any thread.
  void read(Scrape& scrape) const;
  /// Adds what all of them have counted. Any thread.
  void add_to(Traffic& traffic) const;
  /// The same for each route. Any thread.
  void add_to(std::map<std::string, Traffic, std::less<>>& by_route) const;

 private:
  RouteSeries& find_or_make(std::string_view name);

  CountedRoutes& counted_;
  std::atomic<RouteSeries*> newest_{nullptr};
  std::unordered_map<std::string_view, RouteSeries*> by_name_;  // that worker's only
};

}  // namespace headgate::observe
