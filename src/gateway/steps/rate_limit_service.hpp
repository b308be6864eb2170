#pragma once
// Answers calls of Envoy's rate limit service (envoy.service.ratelimit.v3).

#include "headgate/core/task.hpp"
#include "headgate/envoy/rate_limit_service.hpp"
#include "headgate/gateway/exchange.hpp"
#include "headgate/gateway/problem.hpp"

namespace headgate::gateway {

struct Path;
struct RateLimitCall;

/// Finds the routes of the descriptors, without those that another one replaces; x.route becomes the first of them.
void match_descriptors(Exchange& x, RateLimitCall& call);
/// Returns whether an entry of the call rejects it without asking a limit.
bool rejects(const RateLimitCall& call) noexcept;
/// Returns the largest number of rates that can count the descriptors of the call, whatever their tiers.
std::size_t most_rates(const RateLimitCall& call);

/// Finds the routes of the descriptors of `call`, decides all of them together, and sets `out` to the answer. Takes no
/// permits if Admission::peek is set. Returns a problem if the descriptors cannot be counted.
Task<MaybeProblem> decide_call(Path& path, Exchange& x, RateLimitCall& call, envoy::RateLimitResponse& out);

/// Answers ShouldRateLimit: all descriptors of a call are decided together, so that a rejected call takes nothing.
/// Returns the problem of any other call, which is answered as an error of gRPC; a proxy then follows its own policy
/// for a service that fails.
Task<MaybeProblem> answer_rate_limit(Path& path, Exchange& x);

}  // namespace headgate::gateway
