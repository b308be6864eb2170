// Finds the route of a request by its normalised path, so that no limit can be avoided by another spelling of the path.

#include "gateway/answers/cors.hpp"
#include "gateway/callers/find_client.hpp"
#include "gateway/forward/asked_request.hpp"
#include "steps.hpp"

#include "headgate/gateway/exchange_counters.hpp"

#include <utility>

namespace headgate::gateway {
namespace {

Problem not_allowed() {
  return {.status = 405, .ended_by = EndedBy::no_route, .detail = "This method is not allowed for this path."};
}

}  // namespace

MaybeProblem find_route(Path& /*path*/, Exchange& x) {
  const bool by_proxy = x.asked_by != net::AskingProxy::none;
  if (by_proxy) [[unlikely]]
    if (auto problem = take_asked_request(x)) return problem;
  // For a proxy that asks, an answer of the gateway itself would mean that its server may answer.
  const auto* const usage = by_proxy ? nullptr : x.snapshot->compiled->usage();
  if (usage && x.request.path == usage->route->path) {
    x.route = usage->route;
    if (x.request.method == "GET" || x.request.head()) return {};
    x.preflight = preflighted_route(x) != nullptr;
    if (x.preflight) return {};
    x.allowed_methods = "GET, HEAD";
    return not_allowed();
  }
  auto found = x.snapshot->compiled->router().find({.authority = x.request.host,
                                                    .path = x.request.path,
                                                    .method = x.request.method,
                                                    .fields = &x.request.fields,
                                                    .query = x.request.query,
                                                    .client = client_for_routes(x)});
  if (x.snapshot->compiled->preflight_rule() && !by_proxy) {
    if (const auto* const asked = preflighted_route(x)) {
      found.route = asked;
      x.preflight = true;
    }
  }
  x.route = found.route;
  // a request that takes no permits is not counted as in flight
  if (x.route && !x.admission.peek) x.snapshot->counters->begin(x);
  // A server that reads "%2F" as a slash, or decodes twice, would see another path than the router.
  if (x.request.hides_slash && (!found.route || found.route->encoded_slash == EncodedSlash::reject)) {
    return Problem{.status = 400,
                   .ended_by = EndedBy::bad_request,
                   .detail =
                       "The path contains an encoded slash or backslash, or characters that are encoded twice, "
                       "which is not accepted here."};
  }
  if (found.route) return {};
  if (found.unclear)
    return Problem{
        .status = 400,
        .ended_by = EndedBy::bad_request,
        .detail = "A header or query parameter that selects the route is sent twice, or in another spelling."};
  if (!found.host_known && x.request.host.empty())
    return Problem{.status = 400,
                   .ended_by = EndedBy::bad_request,
                   .detail = "The Host field is missing, and every route here needs it."};
  // The answer is 421 Misdirected Request (RFC 9110 section 15.5.20).
  if (!found.host_known) {
    return Problem{.status = 421, .ended_by = EndedBy::no_route, .detail = "This host is not served here."};
  }
  if (found.allowed.empty())
    return Problem{.status = 404, .ended_by = EndedBy::no_route, .detail = "There is nothing at this path."};
  x.allowed_methods = std::move(found.allowed);
  return not_allowed();
}

}  // namespace headgate::gateway
