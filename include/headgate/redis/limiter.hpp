#pragma once
// Rate limit decisions in Redis: at most one script call for all rules of a request, with a deadline and a circuit
// breaker. Used by server and admin.

#include "headgate/core/result.hpp"
#include "headgate/core/task.hpp"
#include "headgate/limit/limiter.hpp"
#include "headgate/redis/forget_result.hpp"
#include "headgate/redis/options.hpp"
#include "headgate/room/room.hpp"

#include <boost/asio/io_context.hpp>

#include <array>
#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace headgate::redis {

/// The state of Redis as far as known; `down` while the breaker of a server is open.
enum class RedisHealth { up, trying, down };

/// Counts since startup. Each of the `sent` calls ends as decided, timed_out or refused, or was lost with its
/// connection.
struct Counters {
  std::uint64_t sent = 0;       ///< decisions sent to Redis
  std::uint64_t decided = 0;    ///< decisions that were answered in time
  std::uint64_t timed_out = 0;  ///< decisions that were not answered within the deadline
  std::uint64_t refused = 0;    ///< calls that were answered with an error or an invalid reply
  std::uint64_t not_sent = 0;   ///< decisions that were not sent: the breaker was open, or too many calls were active
  std::uint64_t connects = 0;   ///< connections that became usable
  std::uint64_t writes = 0;     ///< system calls that sent decisions; far fewer than `sent` under load
};

/// Upper bounds of the latency buckets for the decisions of a node. One more bucket counts the calls that took longer.
inline constexpr std::array<Duration, 9> kLatencyBounds{Duration(100),    Duration(250),    Duration(500),
                                                        Duration(1'000),  Duration(2'500),  Duration(5'000),
                                                        Duration(10'000), Duration(20'000), Duration(50'000)};

/// The state of one server of the topology.
struct NodeStatus {
  std::string name;  ///< "host:port"
  RedisHealth health = RedisHealth::trying;
  Counters counters;
  std::array<std::uint64_t, kLatencyBounds.size() + 1> latency{};  ///< number of decided calls in each bucket
  Duration latency_sum{0};
};

/// Counts since startup: decisions without a call, and calls in the background.
struct LocalCounters {
  std::uint64_t rejected = 0;                   ///< requests rejected by a known rejection
  std::uint64_t leased = 0;                     ///< checks decided by a lease
  std::uint64_t refunded = 0;                   ///< unused tokens of leases that were given back
  std::uint64_t settled = 0;                    ///< checks of settle() that Redis has counted
  std::uint64_t charged = 0;                    ///< requests charged by charge()
  std::map<std::string, std::uint64_t> lost{};  ///< checks of settle() that were lost, by limit
};

/// Settlements that Redis has not counted yet.
struct Outstanding {
  std::uint64_t settlements = 0;
  std::uint64_t permits = 0;                                    ///< permits to charge and to give back
  std::optional<std::chrono::steady_clock::time_point> oldest;  ///< time of the oldest settlement, to a second
};

/// Returns how many gateways share Redis, as far as this gateway has seen; 0 if unknown.
using GatewaysSeen = std::function<std::uint32_t()>;

/// A limiter that decides in Redis. One per worker; worker thread only. A decision repeats a known rejection, or is
/// made with a lease, or takes one call to Redis, whose answer updates rejections and leases. See
/// limit/known_rejections.hpp and limit/leases.hpp for the effect on the counts. Checks must have their hash. The
/// object lives until stop() was called and its tasks have ended.
class SharedLimiter final : public limit::RemoteLimiter, public room::RemoteRooms {
 public:
  /// Connects in the background at once; copies `options`. Never blocks. Resolves names asynchronously, so the loop
  /// must not use BOOST_ASIO_CONCURRENCY_HINT_UNSAFE. Calls before the first connection wait for it within their
  /// deadline. Leases are sized for the number of gateways that `seen` returns, and at least for options.instances;
  /// `seen` is called on the worker thread while there are leases.
  SharedLimiter(boost::asio::io_context& loop, const RedisOptions& options, GatewaysSeen seen = {});
  ~SharedLimiter() override;
  SharedLimiter(const SharedLimiter&) = delete;
  SharedLimiter& operator=(const SharedLimiter&) = delete;

  /// Decides all rules in at most one round trip, and takes from all or none. Returns true if all rules allow. An error
  /// means that no decision was made: the deadline passed, the breaker is open, too many calls are active, or Redis
  /// answered with an error. The policy of the caller then takes over. `checks` and `decisions` must outlive the await.
  /// If the task is destroyed before its end, the call is forgotten and its answer dropped. Waits at most
  /// options.timeout, plus a millisecond for the timer and the time that the loop itself is busy; with leases, one and
  /// a half times options.timeout. Errors: redis::Errc.
  Task<Result<bool>> decide(std::span<const limit::Check> checks, std::span<limit::Decision> decisions) override;

  /// Decides without a task if no call to Redis is needed, in about 100 ns; otherwise returns empty, and the caller
  /// uses decide().
  std::optional<bool> decide_here(std::span<const limit::Check> checks, std::span<limit::Decision> decisions) override;

  Duration known_wait(const limit::Check& check) const override;

  /// Queues changes with copies of the data, and sends them to Redis within a few milliseconds: the amount that a
  /// request took beyond its reservation (How::charge, How::debt), and the amount that it did not use (cost below 0).
  /// While Redis is away, changes of one counter are summed up, at most SettleQueue::kMax for all counters. Each is
  /// counted at most once. In a cluster, a change is lost if it was sent and its answer was not received. Other checks
  /// (with a token, or with a cost that is taken) are sent at once, and repeated at most once.
  bool settle(std::span<const limit::Check> checks, std::span<const Duration> held_for) override;
  using RemoteLimiter::settle;

  /// Charges Redis for requests that passed without it. `owed` is a How::debt of one rule and needs no hash. Returns no
  /// error once Redis has counted the charge. After an error the caller may send the charge again with the same
  /// `token`, possibly with a lower cost: within ten minutes Redis counts only one of all charges with the same token.
  /// Both arguments must outlive the await.
  Task<error_code> charge(const limit::Check& owed, std::string_view token) override;

  /// Asks a waiting room, in one call. Deadline and errors are those of decide().
  Task<Result<room::Answer>> ask(const room::RoomRule& rule, const room::Question& question) override;

  /// Forgets the use of all keys of the limit `name`, on every master. Each call does a part of the work, for about
  /// `patience`, in steps of a hundred keys. `from` is empty, or ForgetResult::more of the previous part. Keys that
  /// move to another node of a cluster meanwhile may be missed. The last part ends a second after its last step, when
  /// no gateway repeats an earlier rejection or has earlier permits on lease any more. Errors: Errc::unavailable if no
  /// server is known; Errc::bad_reply if `from` is invalid.
  Task<Result<ForgetResult>> forget(std::string name, std::string from, Duration patience);

  /// Returns the moment until which other gateways may still be without Redis after an outage. They have as much time
  /// as the outage lasted, but at most two seconds.
  std::chrono::steady_clock::time_point recovering_until() const noexcept override;

  RedisHealth health() const noexcept;  ///< any thread; up if every part of the topology is up
  bool up() const noexcept override { return health() == RedisHealth::up; }
  Counters counters() const;              ///< any thread; the sum of all nodes
  std::vector<NodeStatus> nodes() const;  ///< any thread
  LocalCounters local() const;            ///< any thread
  Outstanding outstanding() const;        ///< any thread

  /// Lets later and waiting calls fail with Errc::stopped: at once, or after all leases were given back
  /// and settlements were sent, each within options.timeout. When the loop has run out of work, no task of this object
  /// runs any more.
  void stop();

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace headgate::redis
