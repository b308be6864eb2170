#pragma once
// The servers of an upstream as a balancing policy sees them. Knows nothing of connections.

#include "headgate/balance/outcome.hpp"
#include "headgate/core/time.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace headgate::balance {

/// Why a server may not be chosen: bits of Server::out. A server with none of them is in.
inline constexpr std::uint8_t kUnhealthy = 1;  ///< its health check failed
inline constexpr std::uint8_t kEjected = 2;    ///< requests to it failed
inline constexpr std::uint8_t kFull = 4;       ///< it has as many requests as it may; only the table's worker writes it
inline constexpr std::uint8_t kDrained = 8;    ///< an operator took it out
inline constexpr std::uint8_t kDown = 16;      ///< an operator took it out, and ended its requests
/// The bits that only an operator sets and clears.
inline constexpr std::uint8_t kTakenOut = kDrained | kDown;
/// The bits that are a guess: a server that is out because of these alone may still answer. It is tried when no server
/// is in.
inline constexpr std::uint8_t kGuessed = kUnhealthy | kEjected;

/// One server as one worker sees it. Other threads than this worker's may use only the atomics, and `tally` as it says.
struct Server {
  std::atomic<std::uint8_t> out{0};    ///< why it may not be chosen; any thread may set and clear bits
  std::atomic<std::int64_t> since{0};  ///< when it came in, in ns of the steady clock; 0: as long as the process runs
  bool backup = false;                 ///< whether it is chosen only if no server that is no backup may be
  std::uint32_t weight = 1;            ///< its share of the requests, relative to the other weights; 1 to kMaxWeight
  std::uint64_t hash = 0;              ///< of its name, the same in every process: its place for requests with a key
  /// Attempts under way with this server, also those that still connect. Only the table's worker writes it.
  std::atomic<std::uint32_t> in_flight{0};
  Duration latency{0};        ///< the average time until an answer's head; 0 before the first
  std::int64_t measured = 0;  ///< when `latency` changed, in ns of the steady clock; only if the policy is timed
  double failures = 0;        ///< see recent_failures(): as many as counted at `failed`
  std::int64_t failed = 0;    ///< when the last one was, in ns of the steady clock
  Tally tally;                ///< what became of the attempts
};

/// Counts an attempt that begins (1) or ends (-1). The table's worker only: no locked instruction is needed.
inline void add_in_flight(Server& server, int more) noexcept {
  const auto now = server.in_flight.load(std::memory_order_relaxed);
  server.in_flight.store(now + static_cast<std::uint32_t>(more), std::memory_order_relaxed);
}

/// The largest weight of a server.
inline constexpr std::uint32_t kMaxWeight = 1000;

using ServerPtr = std::shared_ptr<Server>;

/// The servers of one upstream, in the order of its options. Belongs to one worker. A reload hands servers that stay to
/// the next table.
class Table {
 public:
  /// New servers.
  explicit Table(std::size_t size) {
    while (servers_.size() < size) servers_.push_back(std::make_shared<Server>());
  }
  explicit Table(std::vector<ServerPtr> servers) : servers_(std::move(servers)) {}

  std::size_t size() const noexcept { return servers_.size(); }
  Server& operator[](std::size_t at) noexcept { return *servers_[at]; }
  const Server& operator[](std::size_t at) const noexcept { return *servers_[at]; }
  /// The same, for one who keeps it longer than the table lives.
  const ServerPtr& shared(std::size_t at) const noexcept { return servers_[at]; }

  /// Returns how long the share of a server grows to its weight after it came in, from a tenth of it; 0: it has it at
  /// once.
  Duration slow_start() const noexcept { return slow_start_; }
  void slow_start(Duration time) noexcept { slow_start_ = time; }

  /// Returns whether all servers have the same share, whatever the time: none is a backup or starts slowly, and the
  /// weights are equal. False before note_shares(), and without servers.
  bool alike() const noexcept { return alike_; }
  /// Call it when weights, backups and slow start are set.
  void note_shares() noexcept;

 private:
  std::vector<ServerPtr> servers_;
  Duration slow_start_{0};
  bool alike_ = false;
};

/// After so long without an answer a latency counts half, after twice that a fourth, and so on. Else a server that was
/// slow once would never be asked again by a policy that looks for the fastest.
inline constexpr Duration kLatencyHalfLife = std::chrono::seconds(5);

/// What the latency of a server counts at `now`, in ns of the steady clock; 0 if it is unknown.
Duration aged_latency(const Server& server, std::int64_t now) noexcept;

/// Adds one answer's time to the average, with a weight of one eighth: the average follows a change within about ten
/// answers. `now` is kept as Server::measured; 0: it is not known. An average that is older than kLatencyHalfLife says
/// nothing any more, and this answer alone counts.
void note_latency(Server& server, Duration took, std::int64_t now) noexcept;

/// The same for an attempt that failed or was answered with a server error, which may be fast: it counts as twice the
/// highest average of all servers, or as `took` if that is more. And it counts among the requests in flight for some
/// time. So failing fast does not attract requests.
void note_failure(Table& table, std::size_t at, Duration took, std::int64_t now) noexcept;

/// Returns how many failures of this server count among its requests in flight at `now`, in ns of the steady clock:
/// each counts half after every second. 0 if the time is not known (0).
double recent_failures(const Server& server, std::int64_t now) noexcept;

/// A whole share; a share is in parts of it.
inline constexpr std::uint32_t kWholeShare = 1000;

/// Returns how much of its weight a server has at `now`: kWholeShare, or less during its slow start. `now` is in ns of
/// the steady clock.
std::uint32_t warmth(const Server& server, Duration slow_start, std::int64_t now) noexcept;

}  // namespace headgate::balance
