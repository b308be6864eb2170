#pragma once
// Who decides, as the path asks: counters of this process, which answer at once, and counters that gateways share,
// which are a call away. Interfaces: limit/memory_store and redis/limiter are what runs, scripts are what tests run.

#include "headgate/core/result.hpp"
#include "headgate/core/task.hpp"
#include "headgate/limit/limit.hpp"

#include <chrono>
#include <span>
#include <string_view>

namespace headgate::limit {

/// Counters that answer at once. Any thread.
class Limiter {
 public:
  virtual ~Limiter() = default;
  /// Asks every rule, then takes from all of them or from none (but see How). Returns whether the call goes through;
  /// `decisions[i]` answers `checks[i]`.
  virtual bool decide(std::span<const Check> checks, Instant now, std::span<Decision> decisions) = 0;
  /// Returns what an earlier decide took: for when a later step refused the request.
  virtual void give_back(std::span<const Check> checks, Instant now) = 0;
};

/// Counters that gateways share. One thread. Asks must carry their hash.
class RemoteLimiter {
 public:
  virtual ~RemoteLimiter() = default;
  /// Asks all rules, and takes from all or none; true when all agreed. An error means that it cannot say: the caller's
  /// policy takes over. `checks` and `decisions` must outlive the await.
  virtual Task<Result<bool>> decide(std::span<const Check> checks, std::span<Decision> decisions) = 0;
  /// Says what nobody waits for, with copies of all it needs: what a request took beyond what was held for it
  /// (How::charge), and what it did not use (cost below 0). False where nothing of it may have been said.
  virtual bool settle(std::span<const Check> checks) = 0;
  /// Charges what was let through without it (`owed` is a How::debt of one rule). No error once it is counted; after an
  /// error it may be sent again with the same `token`, and is counted once. Both views must outlive the await.
  virtual Task<error_code> charge(const Check& owed, std::string_view token) = 0;
  /// Until when other gateways may not have found back yet, after an outage.
  virtual std::chrono::steady_clock::time_point recovering_until() const noexcept = 0;
  /// Whether all of it answers, as far as is known.
  virtual bool up() const noexcept = 0;
};

}  // namespace headgate::limit
