#pragma once
// Decisions in Redis: at most one script call for all rules of a request, guarded by a deadline and a breaker.

#include "headgate/core/result.hpp"
#include "headgate/core/task.hpp"
#include "headgate/limit/limit.hpp"
#include "headgate/redis/options.hpp"

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

/// What is known of Redis now; also what the breaker's state means to a reader.
enum class Health { up, trying, down };

/// What happened since the start. `asked` calls ended as decided, timed_out, refused or (none of these) lost with the
/// connection.
struct Counters {
  std::uint64_t asked = 0;        ///< decisions sent to Redis
  std::uint64_t decided = 0;      ///< answered in time
  std::uint64_t timed_out = 0;    ///< not answered within the deadline
  std::uint64_t refused = 0;      ///< answered with an error or with nonsense
  std::uint64_t turned_away = 0;  ///< not asked: the breaker was open or too many were under way
  std::uint64_t connects = 0;     ///< connections that became usable
  std::uint64_t writes = 0;       ///< system calls that carried calls out; far fewer than `asked` under load
};

/// Upper bounds of the buckets that decisions of a node are counted in by how long they took; one more for the rest.
inline constexpr std::array<Duration, 9> kLatencyBounds{Duration(100),    Duration(250),    Duration(500),
                                                        Duration(1'000),  Duration(2'500),  Duration(5'000),
                                                        Duration(10'000), Duration(20'000), Duration(50'000)};

/// One server of the topology as it is now.
struct NodeStatus {
  std::string name;  ///< "host:port"
  Health health = Health::trying;
  Counters counters;
  std::array<std::uint64_t, kLatencyBounds.size() + 1> latency{};  ///< decided calls by the bucket they fall in
  Duration latency_sum{0};
};

/// What needed no call, and what was said in the background, since the start.
struct LocalCounters {
  std::uint64_t denied = 0;    ///< requests refused because an earlier answer said until when
  std::uint64_t leased = 0;    ///< asks answered from a lease
  std::uint64_t refunded = 0;  ///< tokens of leases given back unused
  std::uint64_t settled = 0;   ///< calls of settle() that Redis heard
  std::uint64_t dropped = 0;   ///< calls of settle() that it did not: what they said is lost
  std::uint64_t charged = 0;   ///< by charge()
};

/// One per worker; worker thread only. A decision is a known denial, or comes from a lease, or is asked of Redis in one
/// call, whose answer teaches it both: see limit/denials.hpp and limit/leases.hpp for what that means for the counts.
/// Asks must carry their hash. Lives until stop() was called and its tasks have ended.
class Limiter {
 public:
  /// Connects in the background at once; `options` is copied. Never blocks, resolves names asynchronously (the loop
  /// must not have been made with BOOST_ASIO_CONCURRENCY_HINT_UNSAFE for that). Calls made before the first connection
  /// stands wait for it within their deadline.
  Limiter(boost::asio::io_context& loop, const Options& options);
  ~Limiter();
  Limiter(const Limiter&) = delete;
  Limiter& operator=(const Limiter&) = delete;

  /// Asks all rules, in one round trip or in none, and takes from all or none; true when all agreed. An error means
  /// "unavailable": the deadline passed, the breaker is open, too many calls are in flight, or Redis answered that it
  /// cannot. The caller's policy takes over. `asks` and `verdicts` must outlive the await; a task destroyed before its
  /// end is forgotten, and its answer thrown away. Never waits longer than options.timeout, plus a millisecond of timer
  /// and whatever keeps the loop itself busy; where leases are taken, half as long again. Errors: redis::Errc.
  Task<Result<bool>> decide(std::span<const limit::Ask> asks, std::span<limit::Verdict> verdicts);

  /// The same where Redis need not be asked, without a task; else nothing, and decide() is to be called. About 100 ns.
  std::optional<bool> decide_here(std::span<const limit::Ask> asks, std::span<limit::Verdict> verdicts);

  /// Says to Redis what nobody waits for, with copies of all it needs: what a request took beyond what was held for it
  /// (How::charge), and what it did not use (cost below 0). Tried a second time where the first surely counted nothing,
  /// else dropped: what was given back is never given back twice.
  /// False where too many are under way already: then nothing of it may have been sent.
  bool settle(std::span<const limit::Ask> asks);

  /// Charges Redis for what was let through without it (`owed` is a How::debt of one rule, and needs no hash). No
  /// error once Redis has it. After an error it may be sent again with the same `token`, and may cost less then: of all
  /// that were sent with one token within ten minutes Redis counts one. Both views must outlive the await.
  Task<error_code> charge(const limit::Ask& owed, std::string_view token);

  /// Until when other gateways may not have found back yet, after an outage: as long again as it was, at most two
  /// seconds.
  std::chrono::steady_clock::time_point way_back_until() const noexcept;

  Health health() const noexcept;         ///< any thread; up where every part of the topology is
  Counters counters() const;              ///< any thread: of all nodes together
  std::vector<NodeStatus> nodes() const;  ///< any thread
  LocalCounters local() const noexcept;   ///< any thread

  /// Later calls fail with Errc::stopped, and so does what is waiting: at once, or where leases are held, when they
  /// have been given back, which takes options.timeout at most. No task of this object runs after the loop has run dry.
  void stop();

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace headgate::redis
