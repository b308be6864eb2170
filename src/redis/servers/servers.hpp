#pragma once
// The Redis servers that decide: one server, the master that Sentinels name, or the masters of a cluster. SharedLimiter
// calls them for decisions that cannot be made locally.

#include "redis/wire/question.hpp"

#include "headgate/core/result.hpp"
#include "headgate/core/task.hpp"
#include "headgate/limit/limit.hpp"
#include "headgate/redis/limiter.hpp"
#include "headgate/redis/options.hpp"

#include <boost/asio/io_context.hpp>

#include <chrono>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace headgate::redis {

/// Counts of give-backs: if one slot of a cluster rejects a decision over several slots, the earlier slots get their
/// permits back. `done` counts the successful give-backs, and `failed` those that Redis did not answer.
struct GiveBacks {
  std::uint64_t done = 0;
  std::uint64_t failed = 0;
};

/// The interface of a topology. Worker thread only, except where noted. Its tasks keep it alive until stop().
class Servers {
 public:
  virtual ~Servers() = default;
  Servers() = default;
  Servers(const Servers&) = delete;
  Servers& operator=(const Servers&) = delete;

  /// Does the same as SharedLimiter::decide, always over the network. Several slots of a cluster are decided one after
  /// another. If a later slot rejects or fails, the earlier slots get their permits back.
  virtual Task<Result<bool>> decide(std::span<const limit::Check> checks, std::span<limit::Decision> decisions) = 0;

  /// Makes a call that is not a decision, with the deadline, breaker and errors of a decision. `key` is the Redis key
  /// that its script uses, which selects the node of a cluster. Both arguments must outlive the await. Changes that a
  /// call made before an error persist.
  virtual Task<Result<bool>> ask(ScriptQuestion& question, std::string_view key) = 0;

  /// A server with keys that none of the others has.
  struct Part {
    std::uint16_t slot = 0;  ///< lowest slot of the part; 0 without a cluster
    std::string name;        ///< "host:port", or the slots of a cluster that no server has
    bool vacant = false;     ///< whether no server has these slots
  };
  /// Returns all parts as known now, ordered by lowest slot; empty if they are not known yet. Worker thread.
  virtual std::vector<Part> parts() const = 0;
  /// Does the same as ask() on one of parts(), for a script without a key. Errc::unavailable if another server has
  /// taken its place.
  virtual Task<Result<bool>> ask_part(ScriptQuestion& question, const Part& part) = 0;

  /// Returns the moment until which other gateways may still be without Redis after an outage. This period begins at
  /// the end of the outage, and is as long as the outage was, but at most two seconds. Worker thread.
  virtual std::chrono::steady_clock::time_point recovering_until() const noexcept = 0;
  virtual RedisHealth health() const noexcept = 0;              ///< any thread
  virtual std::vector<NodeStatus> nodes() const = 0;            ///< any thread
  virtual Counters counters() const = 0;                        ///< any thread; the sum of all current and past nodes
  virtual GiveBacks give_backs() const noexcept { return {}; }  ///< any thread
  virtual void stop() = 0;

  /// Creates the servers for options.topology, and connects in the background at once. `keep` decides how much of each
  /// reply is passed to questions.
  static std::shared_ptr<Servers> make(boost::asio::io_context& loop, const RedisOptions& options,
                                       ReplyReader::Keep keep = ReplyReader::Keep::decisions);
};

}  // namespace headgate::redis
