// Which route a request takes: on the normalised path, so that no spelling of it slips past a limit.

#include "headgate/gateway/gateway.hpp"

#include <utility>

namespace headgate::gateway {

Gateway::Step Gateway::find_route(Exchange& x) {
  auto found = x.snapshot->compiled->router().find(x.request.host, x.request.path, x.request.method);
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

}  // namespace headgate::gateway
