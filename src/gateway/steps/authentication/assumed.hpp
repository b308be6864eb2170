#pragma once
// The caller that a simulation assumes.

#include "gateway/path/path.hpp"

#include "headgate/gateway/assumed_caller.hpp"

namespace headgate::gateway {

/// Returns the assumed caller; null on every gateway that serves real clients.
inline const AssumedCaller* assumed_of(const Path& path, const Exchange& x) noexcept {
  return x.assumed != nullptr && path.services.assumes ? x.assumed : nullptr;
}

}  // namespace headgate::gateway
