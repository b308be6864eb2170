#pragma once
// Who decides, as the path asks: counters of this process, which answer at once, and counters that gateways share,
// which are a call away. Interfaces: limit/memory_store and redis/limiter are what runs, scripts are what tests run.

#include "headgate/core/result.hpp"
#include "headgate/core/task.hpp"
#include "headgate/limit/limit.hpp"

#include <chrono>
#include <optional>
#include <span>
#include <string_view>

namespace headgate::limit {

/// Counters that answer at once. Any thread.
class Limiter {
 public:
  virtual ~Limiter() = default;
  /// Checks every rule, then takes from all of them or from none (but see How). Returns whether the call goes through;
  /// `decisions[i]` answers `checks[i]`.
  virtual bool decide(std::span<const Check> checks, Instant now, std::span<Decision> decisions) = 0;
  /// Gives back what an earlier decide took, because a later step ended the request.
  virtual void give_back(std::span<const Check> checks, Instant now) = 0;
};

/// Counters that gateways share. One thread. Checks must have their hash.
class RemoteLimiter {
 public:
  virtual ~RemoteLimiter() = default;
  /// Checks all rules, then takes from all or from none. True if all allowed. An error means that there is no decision:
  /// then `if_redis_down` applies. `checks` and `decisions` must outlive the await.
  virtual Task<Result<bool>> decide(std::span<const Check> checks, std::span<Decision> decisions) = 0;
  /// The same without a task if no call is needed, else nothing; then use decide().
  virtual std::optional<bool> decide_here(std::span<const Check>, std::span<Decision>) { return {}; }
  /// Returns how long `check` will be rejected, as far as that is known without a call; 0: not known.
  virtual Duration known_wait(const Check&) const { return Duration(0); }
  /// Sends changes for which nobody waits, with copies of everything that is needed: what a request cost beyond its
  /// hold (How::charge, How::debt), and what it did not use (cost below 0). False if some of them were dropped.
  virtual bool settle(std::span<const Check> checks) = 0;
  /// Charges what was let through without this limiter (`owed` is a How::debt of one rule). No error when it is
  /// counted. After an error it may be sent again with the same `token`; it counts once. Both views must outlive the
  /// await.
  virtual Task<error_code> charge(const Check& owed, std::string_view token) = 0;
  /// Until when other gateways may not have recovered from an outage.
  virtual std::chrono::steady_clock::time_point recovering_until() const noexcept = 0;
  /// Returns whether all servers of it answer, as far as is known.
  virtual bool up() const noexcept = 0;
};

}  // namespace headgate::limit
