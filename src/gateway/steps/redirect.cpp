// Redirects requests without TLS to https.

#include "gateway/callers/forwarding_headers.hpp"
#include "steps.hpp"

namespace headgate::gateway {
namespace {

constexpr std::uint16_t kHttps = 443;

/// Returns the same URL with https. The host is normalised, so it has no port, and no spelling of it leads to another
/// host.
std::string_view location_of(Exchange& x, std::uint16_t port) {
  auto where = port == kHttps ? x.text.join({"https://", x.request.host})
                              : x.text.join({"https://", x.request.host, ":", x.text.number(port)});
  if (!x.request.path.starts_with('/')) return where;  // the target "*" leads to a URL without a path
  return x.text.extend(where, {x.request.path_to_send(), x.request.query});
}

}  // namespace

MaybeProblem redirect(Path& /*path*/, Exchange& x) {
  const auto port = x.route->https_port.value_or(x.https_port);
  if (port == 0) return {};
  if (client_uses_tls(x, x.snapshot->compiled->identity().address_field)) return {};
  if (x.request.host.empty())
    return Problem{.status = 400,
                   .ended_by = EndedBy::bad_request,
                   .detail = "The Host field is missing, so this request cannot be redirected to https."};
  // After a 301, a client may change the method; after a 308, it must not (RFC 9110 section 15.4).
  const bool safe = x.request.method == "GET" || x.request.head();
  return Problem{.status = safe ? 301U : 308U,
                 .ended_by = EndedBy::respond,
                 .location = location_of(x, port),
                 .body = ProblemBody::never};
}

}  // namespace headgate::gateway
