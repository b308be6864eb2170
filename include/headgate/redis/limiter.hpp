#pragma once
// Decisions in Redis: at most one script call for all rules of a request, with a deadline and a breaker.

#include "headgate/core/result.hpp"
#include "headgate/core/task.hpp"
#include "headgate/limit/limiter.hpp"
#include "headgate/redis/forgotten.hpp"
#include "headgate/redis/options.hpp"
#include "headgate/room/room.hpp"

#include <boost/asio/io_context.hpp>

#include <array>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace headgate::redis {

/// The state of Redis as known now; also the breaker's state for readers.
enum class RedisHealth { up, trying, down };

/// Counts since the start. Each of the `sent` calls ends as decided, timed_out, refused, or else was lost with the
/// connection.
struct Counters {
  std::uint64_t sent = 0;       ///< decisions sent to Redis
  std::uint64_t decided = 0;    ///< answered in time
  std::uint64_t timed_out = 0;  ///< not answered within the deadline
  std::uint64_t refused = 0;    ///< answered with an error or an invalid reply
  std::uint64_t not_sent = 0;   ///< not sent: the breaker was open, or too many calls were active
  std::uint64_t connects = 0;   ///< connections that became usable
  std::uint64_t writes = 0;     ///< system calls that sent calls; far fewer than `sent` under load
};

/// Upper bounds of the latency buckets for a node's decisions. One more bucket has the rest.
inline constexpr std::array<Duration, 9> kLatencyBounds{Duration(100),    Duration(250),    Duration(500),
                                                        Duration(1'000),  Duration(2'500),  Duration(5'000),
                                                        Duration(10'000), Duration(20'000), Duration(50'000)};

/// One server of the topology at this moment.
struct NodeStatus {
  std::string name;  ///< "host:port"
  RedisHealth health = RedisHealth::trying;
  Counters counters;
  std::array<std::uint64_t, kLatencyBounds.size() + 1> latency{};  ///< decided calls in each bucket
  Duration latency_sum{0};
};

/// Counts since the start: decisions without a call, and calls in the background.
struct LocalCounters {
  std::uint64_t rejected = 0;  ///< requests rejected by a known rejection
  std::uint64_t leased = 0;    ///< checks decided by a lease
  std::uint64_t refunded = 0;  ///< unused tokens of leases that were given back
  std::uint64_t settled = 0;   ///< calls of settle() that Redis answered
  std::uint64_t dropped = 0;   ///< calls of settle() that Redis did not answer: their changes are lost
  std::uint64_t charged = 0;   ///< requests charged by charge()
};

/// How many gateways share Redis, as far as this one has seen; 0 if it does not know.
using GatewaysSeen = std::function<std::uint32_t()>;

/// One for each worker; worker thread only. A decision is a known rejection, or comes from a lease, or takes one call
/// to Redis. The answer updates both. See limit/known_rejections.hpp and limit/leases.hpp for the effect on the counts.
/// Checks must have their hash. It lives until stop() was called and its tasks have ended.
class SharedLimiter final : public limit::RemoteLimiter, public room::RemoteRooms {
 public:
  /// Connects in the background at once; copies `options`. Never blocks. Resolves names asynchronously, so the loop
  /// must not use BOOST_ASIO_CONCURRENCY_HINT_UNSAFE. Calls before the first connection wait for it within their
  /// deadline. Leases are sized for as many gateways as `seen` says, and at least for options.instances; it is asked
  /// on the worker thread, while there are leases.
  SharedLimiter(boost::asio::io_context& loop, const RedisOptions& options, GatewaysSeen seen = {});
  ~SharedLimiter() override;
  SharedLimiter(const SharedLimiter&) = delete;
  SharedLimiter& operator=(const SharedLimiter&) = delete;

  /// Decides all rules in at most one round trip and takes from all or none. True if all rules allow. An error means
  /// "unavailable": the deadline passed, the breaker is open, too many calls are active, or Redis answered with an
  /// error. Then the caller's policy takes over. `checks` and `decisions` must outlive the await. If the task is
  /// destroyed before its end, the call is forgotten and its answer dropped. Waits at most options.timeout, plus a
  /// millisecond for the timer and the time that the loop itself is busy. With leases, it waits half as long again.
  /// Errors: redis::Errc.
  Task<Result<bool>> decide(std::span<const limit::Check> checks, std::span<limit::Decision> decisions) override;

  /// The same without a task, if no call to Redis is needed; else returns nothing, and the caller uses decide(). About
  /// 100 ns.
  std::optional<bool> decide_here(std::span<const limit::Check> checks, std::span<limit::Decision> decisions) override;

  Duration known_wait(const limit::Check& check) const override;

  /// Sends changes to Redis in the background, with copies of all it needs: what a request took beyond its reservation
  /// (How::charge), and what it did not use (cost below 0). A call is tried once more if too many calls were active.
  /// Without a give-back, it is also tried once more if Redis was unavailable; then a charge may count twice. Else the
  /// changes are lost. Returns false if some of the changes were dropped at once: too many calls are active, or the
  /// limiter is stopped.
  bool settle(std::span<const limit::Check> checks) override;

  /// Charges Redis for requests that passed without it. `owed` is a How::debt of one rule and needs no hash. No error
  /// once Redis has counted it. After an error, the caller may send it again with the same `token`, also with a lower
  /// cost: within ten minutes, Redis counts one of all charges with one token. Both views must outlive the await.
  Task<error_code> charge(const limit::Check& owed, std::string_view token) override;

  /// Asks a waiting room, in one call. Deadline and errors are those of decide().
  Task<Result<room::Answer>> ask(const room::RoomRule& rule, const room::Question& question) override;

  /// Forgets what all keys of the limit `name` have used, on every master: a part of it, in about `patience`, in steps
  /// of which each looks at a hundred keys. `from` is empty, or Forgotten::more of the part before. Keys that move to
  /// another node of a cluster meanwhile may be left out. The last part ends a second after its last step, when no
  /// gateway repeats a rejection of before any more, nor has permits of before on lease. Errors: Errc::unavailable if
  /// no server is known; Errc::bad_reply if `from` is no such text.
  Task<Result<Forgotten>> forget(std::string name, std::string from, Duration patience);

  /// Until when other gateways may still be without Redis after an outage: as long again as the outage was, at most two
  /// seconds.
  std::chrono::steady_clock::time_point recovering_until() const noexcept override;

  RedisHealth health() const noexcept;  ///< any thread; up if every part of the topology is up
  bool up() const noexcept override { return health() == RedisHealth::up; }
  Counters counters() const;              ///< any thread; the sum of all nodes
  std::vector<NodeStatus> nodes() const;  ///< any thread
  LocalCounters local() const noexcept;   ///< any thread

  /// Later calls fail with Errc::stopped, and so do waiting calls. They fail at once, or after all leases are given
  /// back, in at most options.timeout. When the loop has run out of work, no task of this object runs any more.
  void stop();

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace headgate::redis
