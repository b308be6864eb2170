#pragma once
// The servers of one upstream as the whole process sees them: reads what its workers counted, decides who is out, and
// tells the workers by the bits of their tables.

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

/// What a watch is made from.
struct WatchOptions {
  std::vector<std::string> servers;  ///< their names, in the order of the tables
  EjectOptions eject;
  std::optional<CircuitOptions> circuit;  ///< not set: there is none
};

/// One worker's part of a watch. Its upstream owns it.
struct WatchPart {
  explicit WatchPart(CircuitGate& gate) : door(gate) {}
  CircuitDoor door;
  /// The index, plus one, of the server that the next request tries although it is out; 0: none. Who takes it sets 0.
  std::atomic<std::uint32_t> trial{0};
};

/// What changed at a tick.
struct WatchNews {
  std::vector<EjectChange> servers;
  std::optional<CircuitState> circuit;  ///< its new state
  std::uint32_t refused = 0;            ///< requests that the circuit refused since the tick before
};

/// One server, for people.
struct ServerReport {
  std::string server;
  std::uint8_t out = 0;               ///< the bits of Server::out that all workers share
  std::optional<EjectReason> reason;  ///< if it is ejected
  Duration since{0};                  ///< how long it is in, or ejected; 0: from the start
  std::uint32_t in_flight = 0;
  std::uint32_t failed_in_a_row = 0;  ///< attempts since the last answer
  bool failing = false;               ///< all of the last attempts failed (Reach), also if it still gets requests
  AttemptOutcome last_failure = AttemptOutcome::no_connection;  ///< of the last of them
  Duration failing_since{0};  ///< if it is failing: how long ago the first of them was
  Duration last_tried{0};     ///< if it is failing: how long ago the last of them was
  RecentUse::Rates rates;
  std::optional<Duration> next_trial;  ///< if it is ejected: in how long it may be tried; 0: now

  /// Returns whether it gets requests and answers, as far as known.
  bool up() const noexcept { return out == 0 && !failing; }
};
struct WatchReport {
  std::vector<ServerReport> servers;
  std::optional<CircuitState> circuit;
  std::optional<Duration> circuit_tries;  ///< of an open circuit: in how long it lets requests pass again

  /// Returns whether no server is up.
  bool all_down() const noexcept {
    return std::none_of(servers.begin(), servers.end(), [](const ServerReport& each) { return each.up(); });
  }
};

/// Lives as long as its options are in use, over reloads. It is ticked by one thread; workers join and leave at any
/// time.
class Watch {
 public:
  using Steady = std::chrono::steady_clock::time_point;

  /// `before` may be null: what it knows of servers with the same name is taken over.
  Watch(WatchOptions options, const Watch* before);

  /// A worker's table takes part from now on, until its part is destroyed. Sets the bits of its rows. Any thread. The
  /// watch must outlive the part.
  std::shared_ptr<WatchPart> join(const Table& table);

  /// Sets or clears one of the bits of Server::out that all workers share, but kEjected, which tick() decides. Any
  /// thread.
  void mark(std::size_t at, std::uint8_t bit, bool set, Steady now);
  /// `next` will take this one's place, if it is not dropped before: it has the marks that this one has and gets until
  /// then, of the servers that both have. Nobody else may know `next` yet.
  void hand_marks_to(const std::shared_ptr<Watch>& next);
  /// Returns whether this bit is set.
  bool marked(std::size_t at, std::uint8_t bit) const;
  /// A health check of this server has passed.
  void passed_check(std::size_t at, Steady now);
  /// What happened since the tick before, and what follows from it.
  WatchNews tick(Steady now);
  /// Any thread.
  WatchReport report(Steady now) const;
  bool has_circuit() const noexcept { return options_.circuit.has_value(); }
  const std::vector<std::string>& servers() const noexcept { return options_.servers; }

 private:
  struct Row {
    ServerPtr server;
    Happened last;  ///< the counters at the tick before, in its numbers
    std::array<std::uint32_t, kLatencyBuckets> latencies{};
  };
  struct Member {
    std::weak_ptr<WatchPart> part;
    std::vector<Row> rows;
    std::uint32_t good = 0, bad = 0, refused = 0;  ///< at the tick before
    std::uint32_t busy = 0;                        ///< recent requests; older ones weigh less
  };

  static std::uint32_t read(Row& row, Happened& into);
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
  std::vector<std::uint8_t> bits_;  ///< by server
  std::weak_ptr<Watch> next_;
  std::vector<Steady> since_;    ///< by server: the last change of its bits
  std::vector<Reach> reaches_;   ///< by server
  std::vector<RecentUse> uses_;  ///< by server
  Ejection ejection_;
  std::optional<Circuit> circuit_;
  std::uint32_t passed_ = 0, failed_ = 0, left_ = 0;  ///< probes at the tick before
  std::shared_ptr<WatchPart> ordered_;                ///< which worker shall make the next trial; null: none
  Steady ordered_at_{};
  std::uint32_t ordered_server_ = 0;
  const WatchPart* passed_over_ = nullptr;  ///< did not take the last order
};

}  // namespace headgate::balance
