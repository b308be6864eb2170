#include "cors.hpp"

#include "gateway/callers/find_client.hpp"
#include "vary.hpp"

#include "headgate/gateway/answer.hpp"
#include "headgate/gateway/router.hpp"
#include "headgate/http/named_values.hpp"
#include "headgate/http/origin.hpp"

#include <algorithm>

namespace headgate::gateway {
namespace {

using http::Field;
using http::Fields;
using http::Known;

constexpr std::string_view kPrefix = "Access-Control-";

/// Returns the Origin of the request; empty if there is none or more than one.
std::string_view origin_of(const Exchange& x) noexcept {
  std::string_view out;
  for (const auto& field : x.request.fields) {
    if (field.id != Known::origin) continue;
    if (!out.empty()) return {};
    out = field.value;
  }
  return out;
}

bool allows(const Cors& rules, std::string_view origin) {
  if (origin.empty()) return false;
  if (rules.any) return true;
  const auto listed = [&](std::string_view text) {
    return std::find(rules.origins.begin(), rules.origins.end(), text) != rules.origins.end();
  };
  if (origin == "null") return listed(origin);
  thread_local std::string normal;
  if (!http::normalise_origin(origin, normal)) return false;
  if (listed(normal)) return true;
  return std::any_of(rules.below.begin(), rules.below.end(), [](const OriginsBelow& each) {
    return normal.size() > each.begin.size() + each.end.size() && normal.starts_with(each.begin) &&
           normal.ends_with(each.end);
  });
}

/// Adds the fields that let a page of the request's origin read the answer. Returns false if no such page may read it.
bool append_allowed(Exchange& x, const Cors& rules, Fields& fields) {
  const auto origin = origin_of(x);
  if (rules.any) {
    fields.push_back({Known::access_control_allow_origin, "Access-Control-Allow-Origin", "*"});
    return true;
  }
  vary_by(x, "Origin", fields);
  if (!allows(rules, origin)) return false;
  fields.push_back({Known::access_control_allow_origin, "Access-Control-Allow-Origin", origin});
  if (rules.credentials)
    fields.push_back({Known::access_control_allow_credentials, "Access-Control-Allow-Credentials", "true"});
  return true;
}

/// Returns the field names that a page wants to send. Empty if the text is not a list of names: the text is sent back
/// to the browser, so it must not be anything else.
std::string_view asked_headers(const Exchange& x) noexcept {
  const auto asked = http::field_of(x.request.fields, "Access-Control-Request-Headers");
  if (asked.twice) return {};
  auto rest = asked.value;
  std::string_view member;
  while (http::next_member(rest, member))
    if (!http::is_token(member)) return {};
  return asked.value;
}

/// Returns whether the request is for the usage path, where callers ask for their remaining limits. This path is not in
/// the router.
bool asks_usage(const Exchange& x) noexcept { return x.route != nullptr && x.route->usage != nullptr; }

/// Returns the route of the request that a preflight announces; null if there is none or if it has no CORS rules. The
/// fields of that request are not known yet, but its query is.
const Route* route_of(Exchange& x, std::string_view method) {
  if (asks_usage(x)) return x.route->cors && (method == "GET" || method == "HEAD") ? x.route : nullptr;
  const auto found = x.snapshot->compiled->router().find({.authority = x.request.host,
                                                          .path = x.request.path,
                                                          .method = method,
                                                          .fields = &x.request.fields,
                                                          .query = x.request.query,
                                                          .client = client_for_routes(x)});
  return found.route && found.route->cors ? found.route : nullptr;
}

/// Returns whether two routes answer a preflight of this origin in the same way.
bool alike(const Cors& a, const Cors& b, std::string_view origin) {
  if (&a == &b) return true;
  return a.any == b.any && a.credentials == b.credentials && a.any_header == b.any_header && a.headers == b.headers &&
         allows(b, origin);
}

/// Returns the members of `methods` that a page of the request's origin may use. The browser caches the answer for
/// every method that it names, so methods of routes with other rules are left out.
std::string_view usable(Exchange& x, const Cors& rules, std::string_view methods) {
  const auto origin = origin_of(x);
  std::string out;
  std::string_view method;
  while (http::next_member(methods, method)) {
    const auto* const route = route_of(x, method);
    if (route == nullptr || !alike(rules, *route->cors, origin)) continue;
    if (!out.empty()) out += ", ";
    out += method;
  }
  return x.text.join({out});
}

}  // namespace

const Route* preflighted_route(Exchange& x) {
  if (x.request.method != "OPTIONS" || !http::has(x.request.fields, Known::origin)) return nullptr;
  const auto method = http::field_of(x.request.fields, "Access-Control-Request-Method");
  return method.twice || !http::is_token(method.value) ? nullptr : route_of(x, method.value);
}

Task<std::optional<Problem>> answer_preflight(Exchange& x) {
  const auto& rules = *x.route->cors;
  x.ended_by = EndedBy::preflight;
  auto& fields = x.fields;
  fields.clear();
  if (!append_allowed(x, rules, fields))
    co_return Problem{.status = 403,
                      .ended_by = EndedBy::preflight,
                      .detail = "Pages of this origin may not use this gateway's answers here."};
  vary_by(x, "Access-Control-Request-Method, Access-Control-Request-Headers", fields);
  std::string methods = rules.methods;
  if (methods.empty() && asks_usage(x)) methods = "GET, HEAD";
  if (methods.empty()) {
    // No route has the empty method, so find() returns the methods that are allowed on the path.
    auto found = x.snapshot->compiled->router().find(x.request.host, x.request.path, {});
    methods = found.route ? std::string(kDefaultMethods) : std::move(found.allowed);
  }
  fields.push_back({Known::access_control_allow_methods, "Access-Control-Allow-Methods", usable(x, rules, methods)});
  const auto headers = rules.any_header ? asked_headers(x) : std::string_view(rules.headers);
  if (!headers.empty())
    fields.push_back({Known::access_control_allow_headers, "Access-Control-Allow-Headers", headers});
  fields.push_back({Known::access_control_max_age, "Access-Control-Max-Age", rules.max_age});
  const AnswerStart answer{.start = {.status = 204}};
  co_await send_whole<AnswerFrom::preflight>(x, answer, {});
  co_return std::nullopt;
}

void replace_cors(Exchange& x, const Cors& rules, Fields& fields) {
  std::erase_if(fields,
                [](const Field& field) { return http::same_word(field.name.substr(0, kPrefix.size()), kPrefix); });
  if (!append_allowed(x, rules, fields)) return;
  fields.push_back({Known::access_control_expose_headers, "Access-Control-Expose-Headers", rules.expose});
}

}  // namespace headgate::gateway
