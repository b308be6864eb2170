#pragma once
// The interfaces of the limiters that the request path asks. There are two: for counters of this process, which answer
// at once, and for counters that gateways share, which need a call. limit/memory_store and redis/limiter implement
// them; tests use scripted limiters. Used by gateway, redis and engine.

#include "headgate/core/result.hpp"
#include "headgate/core/task.hpp"
#include "headgate/limit/limit.hpp"

#include <chrono>
#include <optional>
#include <span>
#include <string_view>

namespace headgate::limit {

/// A limiter that answers at once. Any thread.
class Limiter {
 public:
  virtual ~Limiter() = default;
  /// Checks every rule, then takes from all of them or from none (for exceptions see How). Returns whether the call
  /// passes; `decisions[i]` answers `checks[i]`.
  virtual bool decide(std::span<const Check> checks, Instant now, std::span<Decision> decisions) = 0;
  /// Gives back the permits of an earlier decide, because a later step ended the request.
  virtual void give_back(std::span<const Check> checks, Instant now) = 0;
};

/// A limiter whose counters gateways share. One thread. Checks must have their hash.
class RemoteLimiter {
 public:
  virtual ~RemoteLimiter() = default;
  /// Checks all rules, then takes from all or from none. Returns true if all allow. An error means that there is no
  /// decision; then `if_redis_down` applies. `checks` and `decisions` must outlive the await.
  virtual Task<Result<bool>> decide(std::span<const Check> checks, std::span<Decision> decisions) = 0;
  /// Decides without a task if no call is needed; otherwise returns empty, and the caller uses decide().
  virtual std::optional<bool> decide_here(std::span<const Check>, std::span<Decision>) { return {}; }
  /// Returns how long `check` will be rejected, as far as known without a call; 0 if not known.
  virtual Duration known_wait(const Check&) const { return Duration(0); }
  /// Sends changes that nobody waits for, with copies of all data: the cost of a request beyond its hold (How::charge,
  /// How::debt), and the cost that it did not use (below 0). `held_for` has for each check the time for which its
  /// permits can be given back, which is until the counter may be full again; if it is empty, there is no such time.
  /// Returns false if some of the changes were dropped.
  virtual bool settle(std::span<const Check> checks, std::span<const Duration> held_for) = 0;
  bool settle(std::span<const Check> checks) { return settle(checks, {}); }
  /// Charges for requests that passed without this limiter (`owed` is a How::debt of one rule). Returns no error once
  /// Redis has counted the charge. After an error the charge may be sent again with the same `token`; it counts only
  /// once. Both arguments must outlive the await.
  virtual Task<error_code> charge(const Check& owed, std::string_view token) = 0;
  /// Returns the moment until which other gateways may still be recovering from an outage.
  virtual std::chrono::steady_clock::time_point recovering_until() const noexcept = 0;
  /// Returns whether all servers of this limiter answer, as far as known.
  virtual bool up() const noexcept = 0;
};

}  // namespace headgate::limit
