#pragma once
// Where Redis decides: one server, the master that Sentinels name, or the masters of a cluster. SharedLimiter calls it
// for what cannot be decided locally.

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

/// Decisions over several slots of a cluster that a later slot rejected: how often the earlier slots got back what they
/// had taken (done), and how often not, because Redis did not answer (failed).
struct GiveBacks {
  std::uint64_t done = 0;
  std::uint64_t failed = 0;
};

/// Worker thread only, except for what says any thread. Its tasks keep it alive until stop().
class Servers {
 public:
  virtual ~Servers() = default;
  Servers() = default;
  Servers(const Servers&) = delete;
  Servers& operator=(const Servers&) = delete;

  /// As SharedLimiter::decide, always over the network. Several slots of a cluster are decided one after the other. If
  /// a later one rejects or fails, the earlier ones get back what they took.
  virtual Task<Result<bool>> decide(std::span<const limit::Check> checks, std::span<limit::Decision> decisions) = 0;

  /// One call that is no decision, with the deadline, the breaker and the errors of one. `key` is the Redis key that
  /// its script uses: it says which node of a cluster to call. Both must outlive the await. What a call did before an
  /// error stays done.
  virtual Task<Result<bool>> ask(ScriptQuestion& question, std::string_view key) = 0;

  /// A server with keys that no other one of them has.
  struct Part {
    std::uint16_t slot = 0;  ///< its lowest; 0 without a cluster
    std::string name;        ///< "host:port"; or the slots of a cluster that no server has
    bool vacant = false;     ///< no server has them
  };
  /// All of them as known now, by their lowest slots. None if that is not known yet. Worker thread.
  virtual std::vector<Part> parts() const = 0;
  /// As ask(), of one of parts(); the script uses no key. Errc::unavailable if another server has its place by now.
  virtual Task<Result<bool>> ask_part(ScriptQuestion& question, const Part& part) = 0;

  /// Until when other gateways may still be without Redis after an outage: as long again as the outage was, at most two
  /// seconds. Worker thread.
  virtual std::chrono::steady_clock::time_point recovering_until() const noexcept = 0;
  virtual RedisHealth health() const noexcept = 0;              ///< any thread
  virtual std::vector<NodeStatus> nodes() const = 0;            ///< any thread
  virtual Counters counters() const = 0;                        ///< any thread; the sum of all current and past nodes
  virtual GiveBacks give_backs() const noexcept { return {}; }  ///< any thread
  virtual void stop() = 0;

  /// Makes the servers for options.topology and connects in the background at once. `keep` says how much of a reply a
  /// question sees.
  static std::shared_ptr<Servers> make(boost::asio::io_context& loop, const RedisOptions& options,
                                       ReplyReader::Keep keep = ReplyReader::Keep::decisions);
};

}  // namespace headgate::redis
