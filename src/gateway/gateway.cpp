#include "headgate/gateway/gateway.hpp"

#include "relay.hpp"
#include "request_id.hpp"
#include "respond.hpp"

namespace headgate::gateway {

// The order and its reasons: the route first, on the normalised path, so that no spelling slips past a limit; limits in
// memory next, so that a flood costs neither a signature check nor a call; then the token; then everything Redis
// counts, in one call; a server last. What an earlier step took is given back when a later one refuses.
Task<void> Gateway::handle(Exchange& x) {
  x.request_id = request_id(x);
  Step problem = find_route(x);
  if (!problem) problem = check_body(x);
  if (!problem) problem = identify(x);
  if (!problem) problem = admit(x, Stage::memory);
  if (!problem) problem = authenticate(x);
  if (!problem) problem = admit(x, Stage::memory_with_claims);
  if (!problem && x.route->asks_redis) problem = co_await admit_in_redis(x);
  // An attempt to get in with a bad token stays counted: guessing is not free.
  if (problem && problem->ended_by == EndedBy::limit) take_back(x);
  if (!problem && x.route->observes) co_await observe_limits(x);
  if (!problem) problem = co_await serve(x);
  if (problem) co_await tell(x, *problem, services_.site.options().rejection.headers);
  finish(x);
}

Gateway::Step Gateway::find_route(Exchange& x) {
  auto found = services_.site.router().find(x.request.authority, x.request.path, x.request.method);
  x.route = found.route;
  if (found.route) return {};
  // RFC 9110 section 15.5.20.
  if (!found.host_known) {
    return Problem{421, EndedBy::no_route, "This host is not served here.", {}, 0, {}};
  }
  if (found.allowed.empty()) return Problem{404, EndedBy::no_route, "Nothing is offered at this path.", {}, 0, {}};
  x.allowed_methods = std::move(found.allowed);
  return Problem{405, EndedBy::no_route, "This path is not offered for this method.", {}, 0, {}};
}

Gateway::Step Gateway::check_body(const Exchange& x) const {
  const auto& framing = x.request.framing;
  if (framing.kind != http::Framing::Kind::length || framing.length <= x.route->max_body) return {};
  return Problem{413, EndedBy::too_large, "The request's body is larger than is accepted here.", {}, 0, {}};
}

Task<Gateway::Step> Gateway::serve(Exchange& x) {
  if (x.route->respond) return respond(x, *x.route->respond, services_.site.options().rejection.headers);
  return relay(x, *services_.upstreams[x.route->upstream], services_.site);
}

void Gateway::refused(Exchange& x) { finish(x); }

void Gateway::finish(Exchange& x) {
  auto& log = services_.access_log;
  if (!log.on()) return;
  const auto elapsed = std::chrono::steady_clock::now() - x.started;
  observe::AccessRecord record;
  record.request_id = x.request_id;
  record.address = x.caller.ip_subject.empty() ? x.peer : x.caller.address;
  record.method = x.request.method;
  record.host = x.request.authority;
  record.path = x.request.path;
  record.version = x.request.version;
  record.status = x.status;
  record.ended_by = to_text(x.ended_by);
  record.route = x.route ? std::string_view(x.route->name) : "-";
  record.upstream = x.upstream;
  record.server = x.server;
  record.attempts = x.attempts;
  record.in_bytes = x.body_bytes;
  record.out_bytes = x.reply ? x.reply->bytes_sent() : 0;
  record.elapsed = std::chrono::duration_cast<Duration>(elapsed);
  record.upstream_elapsed = std::chrono::duration_cast<Duration>(x.upstream_time);
  record.user_agent = http::value_of(x.request.fields, http::Known::user_agent);
  if (x.admission.would_reject) {
    record.limit = x.admission.would_reject->limit->name;
    record.decision = "observed";
  } else if (const auto* binding = x.admission.binding) {
    using Outcome = Admission::Outcome;
    using Source = Admission::Source;
    record.limit = binding->limit->name;
    record.key = x.admission.key;
    record.decision = x.admission.outcome == Outcome::rejected ? "rejected" : "allowed";
    record.source = x.admission.source == Source::redis    ? "redis"
                    : x.admission.source == Source::memory ? "memory"
                                                           : "fallback";
    record.remaining = x.admission.verdict.remaining;
    record.retry_after = x.admission.verdict.retry_after;
  }
  log.write(record);
}

}  // namespace headgate::gateway
