// Answers an admitted request: by its route, by the gateway as the last hop, or by a server.

#include "gateway/answers/cross_origin.hpp"
#include "gateway/answers/respond.hpp"
#include "gateway/answers/rewrite.hpp"
#include "gateway/servers/relay.hpp"
#include "gateway/servers/websocket.hpp"
#include "max_forwards.hpp"
#include "steps.hpp"

#include "headgate/gateway/candidate.hpp"

namespace headgate::gateway {
namespace {

Task<MaybeProblem> refused(Problem problem) { co_return problem; }

Task<MaybeProblem> client_left(Exchange& x) {
  x.ended_by = EndedBy::client_closed;
  co_return problem_of_operator(x);
}

}  // namespace

Task<MaybeProblem> serve(Path& path, Exchange& x) {
  if (x.snapshot->candidate) [[unlikely]]
    x.snapshot->candidate->decided(path, x, nullptr);
  if (x.client_gone) return client_left(x);
  const auto style = x.snapshot->compiled->options().rejection.headers;
  if (x.preflight) return answer_preflight(x);
  if (x.request.by_connect()) [[unlikely]]
    if (auto problem = refused_websocket(x)) return refused(*problem);
  if (x.route->respond)
    return x.route->usage ? tell_usage(path, x, style) : respond<AnswerFrom::route>(x, *x.route->respond, style);
  if (ends_here(x)) return answer_as_last(x, style);
  if (x.route->edits && x.route->edits->path)
    if (auto problem = rewrite(x)) return refused(*problem);
  return relay(path, x);
}

}  // namespace headgate::gateway
