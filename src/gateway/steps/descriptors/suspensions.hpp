#pragma once
// Suspended descriptors in calls of Envoy's rate limit service.

#include "gateway/path/path.hpp"

#include "headgate/core/task.hpp"
#include "headgate/envoy/rate_limit_service.hpp"
#include "headgate/gateway/exchange.hpp"

namespace headgate::gateway {

/// Refuses the descriptors of the call whose keys are suspended. The status of each says how long its suspension lasts.
/// `x` names the limit whose suspension lasts longest. Returns the length of that suspension; 0 if no descriptor is
/// suspended.
Duration refuse_suspended(Path& path, Exchange& x, envoy::RateLimitResponse& out);

/// Counts each rejection by a limit with `ban` as an offence of its key. A call is one offence of a key, whatever its
/// number of descriptors with this key. If suspensions begin, their statuses say how long they last. Sets `longest` to
/// the length of the longest one, or leaves it unchanged. If Admission::peek is set, nothing is counted, but the answer
/// is the same.
Task<void> note_rejections(Path& path, Exchange& x, envoy::RateLimitResponse& out, Duration& longest);

}  // namespace headgate::gateway
