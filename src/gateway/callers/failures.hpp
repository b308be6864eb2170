#pragma once
// Failed attempts to authenticate. They are charged to the address of the caller by a built-in limit in memory.

#include "headgate/gateway/exchange.hpp"
#include "headgate/gateway/problem.hpp"
#include "headgate/limit/limiter.hpp"

#include <string>

namespace headgate::gateway {

/// Takes one attempt. Returns the problem if the address has none left.
MaybeProblem reserve_failure(limit::Limiter& memory, Exchange& x);
/// Gives the attempt back. Call it if the attempt did not fail.
void return_failure(limit::Limiter& memory, Exchange& x);
/// Returns the problem if the address has no attempt left. Takes none.
MaybeProblem no_failure_left(limit::Limiter& memory, Exchange& x);

/// An attempt that was reserved for a check that may outlast its request. The attempt stays taken unless it is given
/// back. Worker thread.
class FailureCharge {
 public:
  /// Takes over the attempt that reserve_failure() has just taken.
  FailureCharge(limit::Limiter& memory, const Exchange& x)
      : memory_(&memory), clock_(x.clock), snapshot_(x.snapshot), address_(x.caller.ip_key) {}
  /// Gives the attempt back. Call it if the attempt did not fail.
  void give_back();

 private:
  limit::Limiter* memory_;
  Clock* clock_;
  SnapshotPtr snapshot_;
  std::string address_;
};

}  // namespace headgate::gateway
