// Redirects requests without TLS to https.

#include "gateway/callers/forwarding_headers.hpp"
#include "steps.hpp"

namespace headgate::gateway {
namespace {

constexpr std::uint16_t kHttps = 443;

/// Returns the same address with https. The host is the normalised one, so it can be no other host and has no other
/// port.
std::string_view location_of(Exchange& x, std::uint16_t port) {
  auto where = port == kHttps ? x.text.join({"https://", x.request.host})
                              : x.text.join({"https://", x.request.host, ":", x.text.number(port)});
  if (!x.request.path.starts_with('/')) return where;  // "*" becomes a URL without a path
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
                   .detail = "Host is missing, so this request cannot be redirected to https."};
  // 301 may change the method, and 308 never does (RFC 9110 section 15.4).
  const bool safe = x.request.method == "GET" || x.request.head();
  return Problem{.status = safe ? 301U : 308U,
                 .ended_by = EndedBy::respond,
                 .location = location_of(x, port),
                 .body = ProblemBody::never};
}

}  // namespace headgate::gateway
