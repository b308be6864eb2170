// Load shedding: refuses a request because there are too many requests, before a connection to a server is taken.

#include "shed.hpp"

#include "gateway/limits/limit_fields.hpp"
#include "gateway/limits/resolved_limit.hpp"
#include "gateway/path/shed_counters.hpp"
#include "gateway/steps/table.hpp"
#include "steps.hpp"

#include "headgate/limit/algorithm.hpp"
#include "headgate/limit/in_flight.hpp"
#include "headgate/observe/access_log.hpp"

namespace headgate::gateway {
using shed::Layer;

shed::Concurrency* concurrency_of(const Exchange& x) noexcept {
  return x.snapshot->upstreams[x.route->upstream]->concurrency();
}

shed::Overload* overload_of(const Exchange& x) noexcept { return x.snapshot->upstreams[x.route->upstream]->overload(); }

void show_concurrency(const Path& path, const Exchange& x, shed::Concurrency& concurrency) noexcept {
  if (x.snapshot->counters == path.snapshot->counters)
    x.snapshot->counters->of<SheddingCounters>().show(x.route->upstream, concurrency);
}

Problem shed_problem(Exchange& x, Layer layer, std::uint64_t retry_after) {
  static const UntilWait full =
      until_wait(503, EndedBy::shed, "The servers behind this gateway are at capacity. Try again in ");
  static const UntilWait behind = until_wait(503, EndedBy::shed, "This gateway is overloaded. Try again in ");
  x.shedding.layer = layer;
  x.reason = to_text(layer);
  if (auto* const overload = overload_of(x); overload && !x.admission.peek)
    overload->shed(layer, x.shedding.priority, x.clock->steady());
  return {.status = 503,
          .ended_by = EndedBy::shed,
          .retry_after = retry_after,
          .body = ProblemBody::of_rejection,
          .until_wait = layer == Layer::loop_lag ? &behind : &full};
}

Problem refuse_place(Exchange& x, shed::Concurrency& concurrency) {
  concurrency.refused(x.shedding.effective, x.clock->steady());
  return shed_problem(x, Layer::concurrency, seconds_up(limit::kFlightRetry));
}

// This check comes before the limits that need a call, so that a refused request costs little. If no place is free now,
// hardly any will be free a millisecond later.
MaybeProblem shed(Path& path, Exchange& x) {
  auto* const concurrency = concurrency_of(x);
  const auto now = path.services.clock.steady();
  x.shedding.priority = priority_of(x);
  auto* const overload = overload_of(x);
  x.shedding.effective = concurrency ? concurrency->effective(x.shedding.priority, now)
                         : overload  ? overload->effective(x.shedding.priority, now)
                                     : x.shedding.priority;
  MaybeProblem problem;
  if (path.lag && !path.lag->lag().calm() && path.lag->lag().refuses(x.shedding.effective))
    problem = shed_problem(x, Layer::loop_lag, path.lag->lag().retry_after(x.shedding.effective));
  else if (concurrency && !concurrency->queue() && !concurrency->admits(x.shedding.effective))
    problem = refuse_place(x, *concurrency);
  return problem;
}

MaybeProblem rank(Path& /*path*/, Exchange& x) {
  x.shedding.priority = x.shedding.effective = priority_of(x);
  return {};
}

constexpr StepCounts kSheddingCounts = counts_in<SheddingCounters>();

void record_shed(const Exchange& x, observe::AccessRecord& record) { record.queued += x.shedding.queued; }

}  // namespace headgate::gateway
