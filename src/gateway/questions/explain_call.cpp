#include "explain_call.hpp"

#include "gateway/answers/grpc_answer.hpp"
#include "gateway/limits/limit_fields.hpp"
#include "gateway/limits/limit_states.hpp"
#include "gateway/steps/rate_limit_service.hpp"

#include "headgate/gateway/descriptors/rate_limit_call.hpp"
#include "headgate/observe/grpc_status.hpp"

#include <utility>

namespace headgate::gateway {
namespace {

constexpr std::string_view kOkCode = "OK";
constexpr std::string_view kOverLimitCode = "OVER_LIMIT";

/// Adds the state of every limit that counts a descriptor.
Task<void> describe_limits(Path& path, Exchange& x, RateLimitCall& call, ExplainedCall& out) {
  x.rate_limit = &call;
  for (const auto& matched : call.matched) {
    call.at = matched.descriptor;
    x.route = matched.route;
    auto& descriptor = out.descriptors[matched.descriptor];
    descriptor.entry = matched.route->name;
    std::vector<const RouteLimit*> plan;
    plan.reserve(x.route->plan.size());
    for (const auto& each : x.route->plan) plan.push_back(&each);
    auto states = limit_states(x, plan, LimitStates{path.services.memory, path.services.clock, path.shard_turns});
    descriptor.limits = co_await states;
    if (x.ended_by != EndedBy::ban || !descriptor.status.over) continue;
    for (auto& state : descriptor.limits)
      if (state.name == descriptor.status.limit)
        state.suspended = std::chrono::seconds(descriptor.status.reset_seconds);
  }
  x.rate_limit = nullptr;
}

}  // namespace

Task<MaybeProblem> explain_call(Path& path, Exchange& x, envoy::RateLimitRequest request, Explanation& out) {
  x.snapshot = path.snapshot;
  x.admission.peek = true;
  RateLimitCall call;
  call.request = std::move(request);
  envoy::RateLimitResponse answer;
  auto deciding = decide_call(path, x, call, answer);
  auto problem = co_await deciding;
  out.compiled = x.snapshot->compiled;
  auto& told = out.call.emplace();
  told.domain = call.request.domain;
  told.code = problem ? observe::to_text(grpc_status_of(*problem)) : answer.over ? kOverLimitCode : kOkCode;
  for (std::size_t i = 0; i < call.request.descriptors.size(); ++i) {
    call.at = i;
    told.descriptors.push_back({.entries = call.descriptor().entries,
                                .entry = {},
                                .hits = call.permits(1),
                                .status = answer.statuses[i],
                                .limits = {}});
  }
  out.ended_by = to_text(x.ended_by);
  if (answer.over) {
    const auto* const binding = x.admission.binding;
    out.limit = x.ended_by == EndedBy::ban || binding == nullptr ? std::string(x.problem_limit)
                                                                 : binding->route_limit->limit->name;
    if (x.retry_after > Duration(0)) out.retry_after = seconds_up(x.retry_after);
  }
  auto describing = describe_limits(path, x, call, told);
  co_await describing;
  for (const auto& descriptor : told.descriptors)
    for (const auto& state : descriptor.limits)
      out.counted_without_redis = out.counted_without_redis || state.source == Source::fallback;
  out.gateways = x.snapshot->compiled->sharers().count();
  co_return problem;
}

}  // namespace headgate::gateway
