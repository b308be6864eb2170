#pragma once
// A failed attempt to authenticate, as long as nobody knows whether it is one.

#include "headgate/gateway/exchange.hpp"

#include <string>

namespace headgate::gateway {

struct Path;

/// An attempt that was reserved for a check that may outlast its request. It stays taken unless it is given back.
/// Worker thread.
class FailureCharge {
 public:
  /// What reserve_failure() has just taken.
  FailureCharge(Path& path, const Exchange& x) : path_(&path), snapshot_(x.snapshot), address_(x.caller.ip_key) {}
  /// It was none.
  void give_back();

 private:
  Path* path_;
  SnapshotPtr snapshot_;
  std::string address_;
};

}  // namespace headgate::gateway
