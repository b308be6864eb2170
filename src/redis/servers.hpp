#pragma once
// Where decisions are made: one server, the master that Sentinels name, or the masters of a cluster. What Limiter asks
// once nothing can be decided here.

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
#include <vector>

namespace headgate::redis {

/// Decisions over several slots of a cluster of which a later part refused: how often what the first parts took was
/// given back, and how often it was not, because Redis did not answer.
struct GiveBacks {
  std::uint64_t done = 0;
  std::uint64_t failed = 0;
};

/// Worker thread only, but for what is said to be for any thread. Its tasks keep it alive until stop().
class Servers {
 public:
  virtual ~Servers() = default;
  Servers() = default;
  Servers(const Servers&) = delete;
  Servers& operator=(const Servers&) = delete;

  /// As Limiter::decide, always over the network. Several slots of a cluster are asked one after the other, and what
  /// the first ones took is given back where a later one refuses or fails.
  virtual Task<Result<bool>> decide(std::span<const limit::Ask> asks, std::span<limit::Verdict> verdicts) = 0;

  /// Until when other gateways may not have found back yet, after an outage: as long again as it was, at most two
  /// seconds. Worker thread.
  virtual std::chrono::steady_clock::time_point way_back_until() const noexcept = 0;
  virtual Health health() const noexcept = 0;                   ///< any thread
  virtual std::vector<NodeStatus> nodes() const = 0;            ///< any thread
  virtual Counters counters() const = 0;                        ///< any thread: of all nodes that are and ever were
  virtual GiveBacks give_backs() const noexcept { return {}; }  ///< any thread
  virtual void stop() = 0;

  /// What options.topology says; connects in the background at once.
  static std::shared_ptr<Servers> make(boost::asio::io_context& loop, const Options& options);
};

}  // namespace headgate::redis
