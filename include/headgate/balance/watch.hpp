#pragma once
// The process-wide view of the servers of one upstream: reads the counters of all workers, decides which servers are
// out, and sets the bits in the workers' tables. Used by server, services, upstream and admin.

#include "headgate/balance/circuit_gate.hpp"
#include "headgate/balance/ejection.hpp"
#include "headgate/balance/reach.hpp"
#include "headgate/balance/recent_use.hpp"
#include "headgate/balance/table.hpp"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace headgate::balance {

/// The options of a watch.
struct WatchOptions {
  std::vector<std::string> servers;  ///< names of the servers, in the order of the tables
  EjectOptions eject;
  std::optional<CircuitOptions> circuit;  ///< options of the circuit breaker; absent if there is none
};

/// The part of the watch on one worker, owned by the worker's upstream.
struct WatchPart {
  explicit WatchPart(CircuitGate& gate) : door(gate) {}
  CircuitDoor door;
  /// One plus the index of the ejected server that the next request tries; 0 if there is none. The request that takes
  /// the trial sets 0.
  std::atomic<std::uint32_t> trial{0};
};

/// The changes of one tick.
struct WatchNews {
  std::vector<EjectChange> servers;
  std::optional<CircuitState> circuit;  ///< new state of the circuit, if it changed
  std::uint32_t refused = 0;            ///< requests that the circuit refused since the previous tick
};

/// The state of a server, for people.
struct ServerReport {
  std::string server;
  std::uint8_t out = 0;               ///< the bits of Server::out that all workers share
  std::optional<EjectReason> reason;  ///< reason of the ejection; set if the server is ejected
  Duration since{0};                  ///< time since the server came in or was ejected; 0 if it was in from the start
  std::uint32_t in_flight = 0;
  std::uint32_t failed_in_a_row = 0;  ///< attempts since the last answer
  /// true if all of the last attempts failed (Reach), although the server may still get requests
  bool failing = false;
  AttemptOutcome last_failure = AttemptOutcome::no_connection;  ///< outcome of the last failed attempt
  Duration failing_since{0};  ///< time since the first of the last failures in a row, if the server is failing
  Duration last_tried{0};     ///< time since the last failure, if the server is failing
  RecentUse::Rates rates;
  /// time until the next trial of an ejected server; 0 if the trial is due
  std::optional<Duration> next_trial;

  /// Returns whether the server gets requests and answers them, as far as known.
  bool up() const noexcept { return out == 0 && !failing; }
};
struct WatchReport {
  std::vector<ServerReport> servers;
  std::optional<CircuitState> circuit;
  std::optional<Duration> circuit_tries;  ///< time until an open circuit lets requests pass

  /// Returns whether no server is up.
  bool all_down() const noexcept {
    return std::none_of(servers.begin(), servers.end(), [](const ServerReport& each) { return each.up(); });
  }
};

/// The watch of one upstream. Lives as long as its options are in use, over reloads. One thread calls tick(); workers
/// join and leave at any time.
class Watch {
 public:
  using Steady = std::chrono::steady_clock::time_point;

  /// Copies the state of servers with the same name from `before`, which may be null.
  Watch(WatchOptions options, const Watch* before);

  /// Adds a worker's table until the returned part is destroyed. Sets the bits in the rows of the table. Any thread.
  /// The watch must outlive the part.
  std::shared_ptr<WatchPart> join(const Table& table);

  /// Sets or clears one of the bits of Server::out that all workers share, except kEjected, which tick() decides. Any
  /// thread.
  void mark(std::size_t at, std::uint8_t bit, bool set, Steady now);
  /// Copies this watch's marks to `next`, for the servers that both have. Copies all later marks as well, while `next`
  /// exists. No other thread may know `next` yet.
  void hand_marks_to(const std::shared_ptr<Watch>& next);
  /// Returns whether this bit is set.
  bool marked(std::size_t at, std::uint8_t bit) const;
  /// Records that a health check of this server has passed.
  void passed_check(std::size_t at, Steady now);
  /// Evaluates the counters since the previous tick, and applies and returns the changes.
  WatchNews tick(Steady now);
  /// Returns the state for people. Any thread.
  WatchReport report(Steady now) const;
  bool has_circuit() const noexcept { return options_.circuit.has_value(); }
  const std::vector<std::string>& servers() const noexcept { return options_.servers; }

 private:
  struct Row {
    ServerPtr server;
    ServerResults last;  ///< values of the counters at the previous tick
    std::array<std::uint32_t, kLatencyBuckets> latencies{};
  };
  struct Member {
    std::weak_ptr<WatchPart> part;
    std::vector<Row> rows;
    std::uint32_t good = 0, bad = 0, refused = 0;  ///< counters at the previous tick
    std::uint32_t busy = 0;                        ///< number of recent requests; older ones weigh less
  };

  static std::uint32_t read(Row& row, ServerResults& into);
  bool order_was_taken(Steady now);
  void withdraw_order();
  void order_trial(Steady now);
  void tick_circuit(Steady now, WatchNews& news);
  void mark_all(const std::string& server, std::uint8_t bit, bool set, Steady now);
  void show(std::size_t at, std::uint8_t bit, bool set, Steady now);
  void show_circuit();

  const WatchOptions options_;
  CircuitGate gate_;
  mutable std::mutex mutex_;
  std::vector<Member> members_;
  std::vector<std::uint8_t> bits_;  ///< the bits of Server::out that all workers share, for each server
  std::weak_ptr<Watch> next_;
  std::vector<Steady> since_;    ///< time of the last change of the bits of each server
  std::vector<Reach> reaches_;   ///< the reachability of each server
  std::vector<RecentUse> uses_;  ///< the recent use of each server
  Ejection ejection_;
  std::optional<Circuit> circuit_;
  std::uint32_t passed_ = 0, failed_ = 0, left_ = 0;  ///< probes at the previous tick
  std::shared_ptr<WatchPart> ordered_;  ///< the worker that is ordered to make the next trial; null if there is none
  Steady ordered_at_{};
  std::uint32_t ordered_server_ = 0;
  const WatchPart* passed_over_ = nullptr;  ///< the worker that did not take the last order
};

}  // namespace headgate::balance
