// Ends every exchange: counts it in the metrics and writes it to the access log.

#include "gateway/limits/limit_counters.hpp"
#include "gateway/record/access_record.hpp"
#include "gateway/record/trace.hpp"
#include "steps.hpp"
#include "walk.hpp"

#include "headgate/gateway/candidate.hpp"
#include "headgate/gateway/exchange_counters.hpp"
#include "headgate/gateway/problem.hpp"

#include <cassert>
#include <utility>

namespace headgate::gateway {
namespace {

/// The status, in logs and metrics, of a request whose client left before there was an answer. nginx uses the same
/// number. No client receives it.
constexpr unsigned kClientClosed = 499;

/// Returns the route that matches the known host and path of a request that was refused early; null if no route
/// matches.
const Route* route_of_refused(const Exchange& x, const Snapshot& snapshot) {
  if (x.request.path.empty()) return nullptr;
  return snapshot.compiled->router()
      .find({.authority = x.request.host,
             .path = x.request.path,
             .method = x.request.method,
             .fields = &x.request.fields,
             .query = x.request.query})
      .route;
}

/// Adds the fields that the configuration puts into the log line. They stay valid until the next exchange ends.
void note_logged(Exchange& x, const LoggedFields& logged, observe::AccessRecord& record) {
  thread_local LoggedValues values;
  values.clear();
  append_logged(logged.of_request, x.request.fields, x.text, values);
  values.insert(values.end(), x.logged_answer.begin(), x.logged_answer.end());
  record.fields = values;
  if (logged.query) record.query = masked_query(x.request.query, logged.masked, x.text);
}

}  // namespace

void finish(Path& path, Exchange& x) {
  if (std::exchange(x.drained, false)) --path.drained;
  leave_steps(path, x);
  // The exchange is reused, so state that remains here would affect the next request. If the assertion fails, a step
  // that has state is marked `common` by mistake.
  assert(x.used || static_cast<const StepState&>(x) == StepState());
  const bool answered = x.status != 0;
  if (x.candidate != nullptr) [[unlikely]]
    Candidate::ended(x);
  if (x.ended_by == EndedBy::client_closed) {
    if (x.broken_off == BrokenOff::drain)
      x.ended_by = EndedBy::drain;
    else if (x.broken_off == BrokenOff::operator_)
      x.ended_by = EndedBy::operator_;
    else if (x.status == 0)
      x.status = kClientClosed;
  }
  if (x.ended_by == EndedBy::ban && !answered) x.status = kSilentStatus;
  const auto elapsed = std::chrono::duration_cast<Duration>(x.clock->steady() - x.started);
  const auto& counters = *(x.snapshot ? x.snapshot : path.snapshot)->counters;
  counters.count(x, elapsed);
  // the limits of a reservation are counted when it ends
  if (!x.admission.limits.empty() && x.reservation.empty()) counters.of<TierCounters>().count_limits(x);
  if (x.suspension.by != nullptr) counters.of<SuspensionCounters>().count_suspended(x);
  count_steps(counters, x);
  auto& log = path.services.access_log;
  const bool recorded = x.trace && x.trace->recorded() && path.services.spans != nullptr;
  using observe::GrpcStatus;
  // a gRPC call may fail although the HTTP status is 200
  const bool failed = x.grpc_status != GrpcStatus::ok && x.grpc_status != GrpcStatus::none;
  const bool logged = log.on() && (failed || !log.leaves_out(x.status));
  if (!logged && !recorded) return;
  // The route is only for the log: the request took none of the route's steps.
  if (!x.snapshot && !x.route) x.route = route_of_refused(x, *path.snapshot);
  observe::AccessRecord record;
  std::array<std::string_view, observe::LogOptions::kMaxCallers> callers;
  record.elapsed = elapsed;
  record.callers = caller_values(x, log.callers(), callers);
  fill(x, record);
  record_steps(x, record);
  if (log.wants_referer()) record.referer = http::value_of(x.request.fields, http::Known::referer);
  if (const auto& more = (x.snapshot ? x.snapshot : path.snapshot)->compiled->options().logged; logged && more)
    note_logged(x, *more, record);
  if (logged) log.write(record);
  if (!answered) record.status = 0;  // spans contain only statuses that were sent
  if (recorded) write_spans(x, record, *x.snapshot->compiled->options().tracing, *path.services.spans);
}

}  // namespace headgate::gateway
