#pragma once
// What a simulation takes the caller for.

#include "gateway/path/path.hpp"

#include "headgate/gateway/assumed_caller.hpp"

namespace headgate::gateway {

/// Null on every gateway that others send requests to.
inline const AssumedCaller* assumed_of(const Path& path, const Exchange& x) noexcept {
  return x.assumed != nullptr && path.services.assumes ? x.assumed : nullptr;
}

}  // namespace headgate::gateway
