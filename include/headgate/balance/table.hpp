#pragma once
// The servers of an upstream as a balancing policy sees them, without connections. Used by upstream, admin and config.

#include "headgate/balance/outcome.hpp"
#include "headgate/core/time.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace headgate::balance {

/// The reasons why a server must not be chosen: bits of Server::out. A server without any bit is in.
inline constexpr std::uint8_t kUnhealthy = 1;  ///< a health check of the server failed
inline constexpr std::uint8_t kEjected = 2;    ///< requests to the server failed
/// the server has its maximum number of requests; only the table's worker writes this bit
inline constexpr std::uint8_t kFull = 4;
inline constexpr std::uint8_t kDrained = 8;  ///< an operator drained the server
inline constexpr std::uint8_t kDown = 16;    ///< an operator took the server down and ended its requests
/// The bits that only an operator sets and clears.
inline constexpr std::uint8_t kTakenOut = kDrained | kDown;
/// The bits that are a guess: a server that is out only because of these bits may still answer. Such a server is tried
/// if no server is in.
inline constexpr std::uint8_t kGuessed = kUnhealthy | kEjected;

/// A server as one worker sees it. Other threads may use only the atomics, and `tally` as described there.
struct Server {
  std::atomic<std::uint8_t> out{0};  ///< reasons why the server must not be chosen; any thread may set and clear bits
  /// time at which the server came in, in ns of the steady clock; 0 if it was in from the start
  std::atomic<std::int64_t> since{0};
  bool backup = false;       ///< true for a backup server, which is chosen only if no other server is available
  std::uint32_t weight = 1;  ///< share of the requests, relative to the other weights; 1 to kMaxWeight
  /// hash of the server's name, the same in every process; ranks the server for requests with a key
  std::uint64_t hash = 0;
  /// Attempts in progress with this server, including those that are connecting. Only the table's worker writes it.
  std::atomic<std::uint32_t> in_flight{0};
  Duration latency{0};        ///< average time until the head of an answer; 0 before the first one
  std::int64_t measured = 0;  ///< time at which `latency` changed, in ns of the steady clock; only for timed policies
  double failures = 0;        ///< value of recent_failures() at `failed`
  std::int64_t failed = 0;    ///< time of the last failure, in ns of the steady clock
  Tally tally;                ///< outcomes of the attempts
};

/// Counts an attempt that begins (1) or ends (-1). Call it only on the table's worker, so that no locked instruction is
/// needed.
inline void add_in_flight(Server& server, int more) noexcept {
  const auto now = server.in_flight.load(std::memory_order_relaxed);
  server.in_flight.store(now + static_cast<std::uint32_t>(more), std::memory_order_relaxed);
}

/// Maximum weight of a server.
inline constexpr std::uint32_t kMaxWeight = 1000;

using ServerPtr = std::shared_ptr<Server>;

/// The servers of one upstream, in the order of its options. Belongs to one worker. A reload passes unchanged servers
/// to the next table.
class Table {
 public:
  /// Creates new servers.
  explicit Table(std::size_t size) {
    while (servers_.size() < size) servers_.push_back(std::make_shared<Server>());
  }
  explicit Table(std::vector<ServerPtr> servers) : servers_(std::move(servers)) {}

  std::size_t size() const noexcept { return servers_.size(); }
  Server& operator[](std::size_t at) noexcept { return *servers_[at]; }
  const Server& operator[](std::size_t at) const noexcept { return *servers_[at]; }
  /// Returns a shared pointer to the server, for owners that keep it longer than the table.
  const ServerPtr& shared(std::size_t at) const noexcept { return servers_[at]; }

  /// Returns the time in which a server's share grows from a tenth to its weight after the server came in; 0 if a
  /// server has its whole share at once.
  Duration slow_start() const noexcept { return slow_start_; }
  void slow_start(Duration time) noexcept { slow_start_ = time; }

  /// Returns whether all servers always have the same share: no backups, no slow start, equal weights. False before
  /// note_shares(), and without servers.
  bool alike() const noexcept { return alike_; }
  /// Updates alike(). Call it after weights, backups and slow start were set.
  void note_shares() noexcept;

 private:
  std::vector<ServerPtr> servers_;
  Duration slow_start_{0};
  bool alike_ = false;
};

/// Time after which an unconfirmed latency counts half, after twice this time a quarter, and so on. Otherwise, a policy
/// that prefers the fastest server would never again use a server that was slow once.
inline constexpr Duration kLatencyHalfLife = std::chrono::seconds(5);

/// Returns the aged latency of a server at `now`, in ns of the steady clock; 0 if it is unknown.
Duration aged_latency(const Server& server, std::int64_t now) noexcept;

/// Adds the time of one answer to the average latency, with a weight of one eighth, so that the average follows a
/// change within about ten answers. `now` is stored as Server::measured; 0 if the time is not known. If the average is
/// older than kLatencyHalfLife, `took` replaces it.
void note_latency(Server& server, Duration took, std::int64_t now) noexcept;

/// Adds an attempt that failed or was answered with a server error to the average latency. The attempt counts as twice
/// the highest average of all servers, or as `took` if that is longer. For some time, the failure also counts as a
/// request in flight. So a server that fails fast does not attract requests.
void note_failure(Table& table, std::size_t at, Duration took, std::int64_t now) noexcept;

/// Returns how many failures of this server count as requests in flight at `now`, in ns of the steady clock. The weight
/// of each failure is halved every second. Returns 0 if `now` is 0, which means that the time is not known.
double recent_failures(const Server& server, std::int64_t now) noexcept;

/// The value that stands for a full share.
inline constexpr std::uint32_t kWholeShare = 1000;

/// Returns the share of its weight that a server has at `now` (in ns of the steady clock): kWholeShare, or less during
/// its slow start.
std::uint32_t warmth(const Server& server, Duration slow_start, std::int64_t now) noexcept;

}  // namespace headgate::balance
