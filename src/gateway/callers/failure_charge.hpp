#pragma once
// A failed attempt to authenticate, as long as nobody knows whether it is one.

#include "headgate/gateway/exchange.hpp"
#include "headgate/limit/limiter.hpp"

#include <string>

namespace headgate::gateway {

/// An attempt that was reserved for a check that may outlast its request. It stays taken unless it is given back.
/// Worker thread.
class FailureCharge {
 public:
  /// What reserve_failure() has just taken.
  FailureCharge(limit::Limiter& memory, const Exchange& x)
      : memory_(&memory), clock_(x.clock), snapshot_(x.snapshot), address_(x.caller.ip_key) {}
  /// It was none.
  void give_back();

 private:
  limit::Limiter* memory_;
  Clock* clock_;
  SnapshotPtr snapshot_;
  std::string address_;
};

}  // namespace headgate::gateway
