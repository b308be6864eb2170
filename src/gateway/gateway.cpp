#include "headgate/gateway/gateway.hpp"

#include "access_record.hpp"
#include "max_forwards.hpp"
#include "outage.hpp"
#include "relay.hpp"
#include "request_body.hpp"
#include "request_id.hpp"
#include "respond.hpp"

#include <boost/system/errc.hpp>

namespace headgate::gateway {

namespace {

std::unique_ptr<identity::TokenMemory> token_memory(const Snapshot& snapshot) {
  const auto& jwt = snapshot.site->identity().jwt;
  return std::make_unique<identity::TokenMemory>(jwt ? jwt->remember : 0);
}

}  // namespace

Gateway::Gateway(Services services, SnapshotPtr snapshot)
    : services_(services),
      snapshot_(std::move(snapshot)),
      outage_(std::make_shared<Outage>(services.loop, services.memory)),
      tokens_(token_memory(*snapshot_)) {
  outage_->adopt(snapshot_->redis);
}

Gateway::~Gateway() = default;

void Gateway::adopt(SnapshotPtr snapshot) {
  // What was found out with other keys counts no more. No exchange is between its token and what it remembers of it.
  if (snapshot->grants->jwt() != snapshot_->grants->jwt()) tokens_ = token_memory(*snapshot);
  snapshot_ = std::move(snapshot);
  outage_->adopt(snapshot_->redis);
}

void Gateway::stop() { outage_->stop(); }

// The order and its reasons: the route first, on the normalised path, so that no spelling slips past a limit; limits in
// memory next, so that a flood costs neither a signature check nor a call; then the token; then everything Redis
// counts, in one call; a server last. What an earlier limit took is given back when a later one refuses; an attempt to
// get in with a bad token stays counted, for guessing is not free.
Task<void> Gateway::handle(Exchange& x) {
  x.snapshot = snapshot_;
  x.request_id = request_id(x);
  Step problem = find_route(x);
  if (!problem) problem = check_body(x);
  if (!problem) problem = identify(x);
  if (!problem) problem = admit(x, Stage::memory);
  if (!problem) problem = authenticate(x);
  if (!problem) problem = admit(x, Stage::memory_with_proof);
  if (!problem && x.route->asks_redis) problem = co_await admit_in_redis(x);
  if (!problem && x.admission.delay > Duration(0)) co_await hold_back(x);
  if (!problem) {
    problem = co_await serve(x);
    if (x.route->settles) settle(x, problem);
  }
  if (problem) co_await tell(x, *problem, x.snapshot->site->options().rejection.headers);
  finish(x);
}

Gateway::Step Gateway::find_route(Exchange& x) {
  auto found = x.snapshot->site->router().find(x.request.host, x.request.path, x.request.method);
  x.route = found.route;
  // A server that takes "%2F" for a slash would see a path that no route was found for.
  if (x.request.hides_slash && (!found.route || found.route->encoded_slash == EncodedSlash::reject)) {
    return Problem{
        400, EndedBy::bad_request, "The path holds an encoded slash or backslash, which is not accepted here.", {}, 0,
        {}};
  }
  if (found.route) return {};
  if (!found.host_known && x.request.host.empty())
    return Problem{400, EndedBy::bad_request, "Host is missing, and what is served here depends on it.", {}, 0, {}};
  // RFC 9110 section 15.5.20.
  if (!found.host_known) {
    return Problem{421, EndedBy::no_route, "This host is not served here.", {}, 0, {}};
  }
  if (found.allowed.empty()) return Problem{404, EndedBy::no_route, "Nothing is offered at this path.", {}, 0, {}};
  x.allowed_methods = std::move(found.allowed);
  return Problem{405, EndedBy::no_route, "This path is not offered for this method.", {}, 0, {}};
}

Gateway::Step Gateway::check_body(const Exchange& x) const {
  if (x.body->take_at_most(x.route->max_body)) return {};
  return problem_of_body(boost::system::errc::make_error_code(boost::system::errc::message_size));
}

namespace {

Task<std::optional<Problem>> nobody_left(Exchange& x) {
  x.ended_by = EndedBy::client_closed;
  co_return std::nullopt;
}

}  // namespace

Task<Gateway::Step> Gateway::serve(Exchange& x) {
  if (x.client_gone) return nobody_left(x);
  const auto style = x.snapshot->site->options().rejection.headers;
  if (x.route->respond) return respond(x, *x.route->respond, style);
  if (ends_here(x)) return answer_as_last(x, style);
  return relay(x, *x.snapshot->upstreams[x.route->upstream], *x.snapshot->site);
}

void Gateway::refused(Exchange& x) {
  // A step threw: what its limits hold for a cost that no answer will tell of is given back.
  if (x.ended_by == EndedBy::bug && x.route && x.route->settles) settle(x, Problem{});
  finish(x);
}

void Gateway::finish(Exchange& x) {
  const auto elapsed = std::chrono::duration_cast<Duration>(std::chrono::steady_clock::now() - x.started);
  (x.snapshot ? x.snapshot : snapshot_)->meters->count(x, elapsed);
  auto& log = services_.access_log;
  if (!log.on()) return;
  observe::AccessRecord record;
  std::array<std::string_view, observe::LogOptions::kMostCallers> callers;
  record.elapsed = elapsed;
  record.callers = told_callers(x, log.callers(), callers);
  fill(x, record);
  log.write(record);
}

}  // namespace headgate::gateway
