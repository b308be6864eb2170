#include "asked_request.hpp"

#include "headgate/http/named_values.hpp"
#include "headgate/http/request_rules.hpp"
#include "headgate/identity/client_address.hpp"

#include <array>

namespace headgate::gateway {
namespace {

/// The fields in which a proxy names the request. An empty name means that the request itself has the value.
struct AskedBy {
  std::string_view method;
  std::string_view uri;
  std::string_view host;
};

AskedBy fields_of(net::AskingProxy proxy) noexcept {
  switch (proxy) {
    case net::AskingProxy::nginx:
      return {"X-Original-Method", "X-Original-URI", {}};
    case net::AskingProxy::traefik:
    case net::AskingProxy::caddy:
      return {"X-Forwarded-Method", "X-Forwarded-Uri", "X-Forwarded-Host"};
    default:
      return {};
  }
}

Problem not_named(Exchange& x, std::string_view field, std::string_view why) {
  return {.status = 400,
          .ended_by = EndedBy::bad_request,
          .detail = x.text.join({"This listener decides about requests of a proxy, and the field ", field, " ", why})};
}

/// Sets `out` to the value of a field that must occur once.
MaybeProblem read_named(Exchange& x, std::string_view name, std::string_view& out) {
  const auto found = http::field_of(x.request.fields, name);
  if (found.twice) return not_named(x, name, "occurs twice.");
  if (found.value.empty()) return not_named(x, name, "is missing: the proxy must send it.");
  out = found.value;
  return {};
}

/// Returns the refusal of a path that the proxy sends on in another spelling than the one that is decided about.
MaybeProblem refuse_ambiguous_path(const Exchange& x) {
  const auto path = x.request.target.substr(0, x.request.target.find('?'));
  if (x.request.path_to_send() == path) return {};
  return Problem{.status = 400,
                 .ended_by = EndedBy::bad_request,
                 .detail =
                     "The path has dot segments or empty segments, which the server could read in another way "
                     "than this decision."};
}

}  // namespace

MaybeProblem refuse_untrusted(const Exchange& x) {
  if (identity::contains(x.snapshot->compiled->identity().trusted_proxies, x.peer)) return {};
  return Problem{.status = 403,
                 .ended_by = EndedBy::auth,
                 .detail = "This listener decides about requests of trusted proxies, and this address is none."};
}

bool names_no_request(const Exchange& x) noexcept {
  const auto uri = fields_of(x.asked_by).uri;
  if (uri.empty()) return false;
  const auto found = http::field_of(x.request.fields, uri);
  return found.value.empty() && !found.twice;
}

MaybeProblem take_asked_request(Exchange& x) {
  if (auto problem = refuse_untrusted(x)) return problem;
  const auto fields = fields_of(x.asked_by);
  if (fields.uri.empty()) return refuse_ambiguous_path(x);
  std::string_view host;
  x.request.wire_method = x.request.head() ? http::WireMethod::head : http::WireMethod::other;
  if (auto problem = read_named(x, fields.method, x.request.method)) return problem;
  if (auto problem = read_named(x, fields.uri, x.request.target)) return problem;
  if (!fields.host.empty())
    if (auto problem = read_named(x, fields.host, host)) return problem;
  if (!http::is_token(x.request.method)) return not_named(x, fields.method, "is not a method.");
  http::RequestTarget target{.path = x.request.target};
  if (!host.empty()) target.authority = host;
  const auto read = http::apply_request_rules(target, http::Paths::normalised, x.request);
  if (read.has_error())
    return Problem{.status = read.error().status, .ended_by = EndedBy::bad_request, .detail = read.error().why};
  return refuse_ambiguous_path(x);
}

}  // namespace headgate::gateway
