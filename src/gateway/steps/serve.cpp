// Answers an admitted request: by its route, by the gateway as the last hop, or by a server.

#include "gateway/answers/cors.hpp"
#include "gateway/answers/respond.hpp"
#include "gateway/bodies/body_edits.hpp"
#include "gateway/callers/find_client.hpp"
#include "gateway/forward/edit_fields.hpp"
#include "gateway/forward/forwarding_counters.hpp"
#include "gateway/forward/max_forwards.hpp"
#include "gateway/forward/rewrite.hpp"
#include "gateway/reservations/reservations.hpp"
#include "gateway/servers/held_body.hpp"
#include "gateway/servers/relay.hpp"
#include "gateway/servers/tunnel.hpp"
#include "gateway/steps/table.hpp"
#include "steps.hpp"

#include "headgate/gateway/candidate.hpp"

namespace headgate::gateway {
namespace {

/// The first status with which a decision refuses a request.
constexpr unsigned kFirstRefusal = 300;

Task<MaybeProblem> refused(Problem problem) { co_return problem; }

Task<MaybeProblem> client_left(Exchange& x) {
  x.ended_by = EndedBy::client_closed;
  co_return problem_of_operator(x);
}

/// Returns the parts of the request for the answer to TRACE: the request line, Host, Via and Max-Forwards, but no
/// cookies or credentials.
std::string message_of(const Exchange& x) {
  std::string out(x.request.method);
  out.append(" ")
      .append(x.request.target)
      .append(x.request.version == 10   ? " HTTP/1.0\r\n"
              : x.request.version == 20 ? " HTTP/2.0\r\n"
                                        : " HTTP/1.1\r\n");
  for (const auto& field : x.request.fields) {
    if (field.id != http::Known::host && field.id != http::Known::via && field.id != http::Known::max_forwards)
      continue;
    out.append(field.name).append(": ").append(field.value).append("\r\n");
  }
  return out += "\r\n";
}

/// Answers a request that ends at this gateway: OPTIONS with the allowed methods, TRACE with the request as received,
/// without secrets. Answers 400 if Max-Forwards is malformed.
Task<MaybeProblem> answer_as_last(Exchange& x, RejectionHeaders style) {
  if (auto problem = problem_of_last(x)) co_return problem;
  Respond answer{status_of_last(x), {}, {}};
  if (x.request.method == "TRACE") {
    answer.body = message_of(x);
    answer.content_type = "message/http";
  } else {
    // No route has the empty method, so find() returns the existing methods.
    const auto found = x.snapshot->compiled->router().find({.authority = x.request.host,
                                                            .path = x.request.path,
                                                            .method = {},
                                                            .fields = &x.request.fields,
                                                            .query = x.request.query,
                                                            .client = client_for_routes(x)});
    x.allowed_methods = found.route ? std::string(kDefaultMethods) : found.allowed;
    x.fields.push_back({http::Known::allow, "Allow", x.allowed_methods});
  }
  co_return co_await respond<AnswerFrom::gateway>(x, answer, style);
}

/// Answers as decide(), and keeps permits and costs for the call that settles them. If the answer cannot be sent, they
/// are given back.
Task<MaybeProblem> decide_and_reserve(Path& path, Exchange& x, const Respond& answer, RejectionHeaders style) {
  if (path.reservations != nullptr)
    if (auto problem = path.reservations->open(x)) co_return problem;
  if (x.route->edits) edit_fields(x, x.route->edits->request_fields, x.fields, IfEmpty::sent);
  // Sent also without a reservation, so that the proxy replaces a field that its client has sent.
  x.fields.push_back({http::Known::unknown, "X-Headgate-Reservation", x.reservation});
  co_await respond<AnswerFrom::gateway>(x, answer, style);
  if (!x.reservation.empty() && x.ended_by != EndedBy::respond) path.reservations->withdraw(x);
  co_return MaybeProblem{};
}

/// Answers a proxy that asks about a request: with the route's `respond`, or with 200. The answer has the fields that
/// the route gives to its server, so that the proxy can pass them on.
Task<MaybeProblem> decide(Path& path, Exchange& x, RejectionHeaders style) {
  static const Respond allowed{.status = 200, .body = {}, .content_type = {}};
  const auto& answer = x.route->respond ? *x.route->respond : allowed;
  if (x.settle_within > Duration(0) && answer.status < kFirstRefusal) return decide_and_reserve(path, x, answer, style);
  if (x.route->edits) edit_fields(x, x.route->edits->request_fields, x.fields, IfEmpty::sent);
  return respond<AnswerFrom::gateway>(x, answer, style);
}

/// Writes into the body what the limits and the route change in it: a smaller maximum of output, and another model.
void edit_body(Exchange& x) {
  auto& framing = x.request.framing;
  for (const auto& edit : body_edits(x, x.held->bytes())) {
    x.held->replace(edit.at, edit.size, edit.text);
    if (framing.kind == http::Framing::Kind::length) framing.length = framing.length + edit.text.size() - edit.size;
  }
}

}  // namespace

constexpr StepCounts kForwardingCounts = counts_in<ForwardingCounters>();

Task<MaybeProblem> serve(Path& path, Exchange& x) {
  if (x.snapshot->candidate) [[unlikely]]
    x.snapshot->candidate->decided(path, x, nullptr);
  if (x.settle_within > Duration(0)) [[unlikely]]
    x.admission.served = true;  // costs and permits that no reservation takes over are settled at the end
  if (x.client_gone) return client_left(x);
  const auto style = x.snapshot->compiled->options().rejection.headers;
  if (x.preflight) return answer_preflight(x);
  if (x.request.by_connect()) [[unlikely]]
    if (auto problem = refused_websocket(x)) return refused(*problem);
  if (x.asked_by != net::AskingProxy::none) [[unlikely]]
    return decide(path, x, style);
  if (x.route->respond)
    return x.route->usage ? tell_usage(path, x, style) : respond<AnswerFrom::route>(x, *x.route->respond, style);
  if (ends_here(x)) return answer_as_last(x, style);
  if (x.route->edits && x.route->edits->path)
    if (auto problem = rewrite(x)) return refused(*problem);
  if (x.bodies && x.held && (x.clamped > 0 || !x.route->model.empty())) [[unlikely]]
    edit_body(x);
  return relay(path, x);
}

}  // namespace headgate::gateway
