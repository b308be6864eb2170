// The auth service of a route.

#include "config/build.hpp"
#include "config/formats/edits.hpp"
#include "config/formats/formats.hpp"
#include "config/once.hpp"
#include "config/table.hpp"
#include "config/table_shapes.hpp"
#include "config/text/codes.hpp"
#include "config/values.hpp"

#include "headgate/gateway/auth_service.hpp"
#include "headgate/http/fields.hpp"
#include "headgate/http/url.hpp"
#include "headgate/net/url.hpp"

#include <algorithm>

namespace headgate::config {
namespace {

constexpr std::string_view kAuthExample = "http://auth:8080/check";

std::optional<LiteralError> check_auth_url(std::string_view text) {
  const auto url = net::parse_url(text, kAuthExample);
  return url.has_error() ? std::optional(fault_and_help(url.error())) : std::nullopt;
}

constexpr Shape kAuthUrl = text("a URL", check_auth_url);
constexpr Shape kAskedField = text("a field name", check_field_name);
constexpr Shape kAskedFields = list("a list of field names", kAskedField, 0, 64);
constexpr Shape kCopiedField = text("a field name", check_request_field);
constexpr Shape kCopiedFields = list("a list of field names", kCopiedField, 0, 64);
constexpr Shape kAnswerField = text("a field name", check_response_field);
constexpr Shape kAnswerFields = list("a list of field names", kAnswerField, 0, 64);
constexpr Shape kToldWord = choice(gateway::kAuthRequestParts);
constexpr Shape kToldWords = list("a list of words", kToldWord, 0, std::size(gateway::kAuthRequestParts));
constexpr Shape kAuthIfDownShape = choice(gateway::kAuthIfDown);
constexpr Key kAuthKeys[] = {
    {"url", &kAuthUrl, "", R"("http://auth/check")",
     "URL that is asked, with GET and without a body. If its host is the name of an upstream (`http://`, no port), "
     "that upstream is used",
     into<&gateway::AuthService::url>, required},
    {"fields", &kAskedFields, "", R"(["Authorization", "Cookie"])",
     "Request fields that the service gets. Default: all that a server would get", into<&gateway::AuthService::fields>},
    {"tell", &kToldWords, R"(["method", "host", "path", "client_ip"])", R"(["method", "path"])",
     "Facts that the service gets: `method` as `X-Forwarded-Method` and `X-Original-Method`; `host` as "
     "`X-Forwarded-Host` and `X-Forwarded-Proto`; `path` with the query as `X-Forwarded-Uri` and `X-Original-URI`, and "
     "with `host` as `X-Original-URL`; `client_ip` as `X-Forwarded-For`"},
    {"copy", &kCopiedFields, "[]", R"(["X-User", "X-Groups"])",
     "Fields of the service's answer that the server gets. Fields of these names from clients are removed",
     into<&gateway::AuthService::copy>},
    {"copy_to_answer", &kAnswerFields, "[]", R"(["Set-Cookie"])",
     "Fields of the service's answer that the client gets, in place of the server's; `Set-Cookie` is added to the "
     "server's",
     into<&gateway::AuthService::copy_to_answer>},
    {"timeout", &kDuration, kOfOptions, R"("500ms")", "Maximum time until the answer, including the connection",
     into<&gateway::AuthService::timeout>},
    {"remember", &kDuration, "", R"("10s")",
     "How long an admission is reused for requests with the same `fields` and `tell`. Needs `fields`. Default: the "
     "service is asked for each request",
     into<&gateway::AuthService::remember>},
    {"if_down", &kAuthIfDownShape, kOfOptions, R"("allow")",
     "What happens while the service is unavailable or answers 500 or more: `reject` with 503, or `allow` without the "
     "service's fields",
     into<&gateway::AuthService::if_down>},
};
constexpr Section kAuthSection{
    "auth", "routes[].auth",
    "A service that decides whether a request may pass: a URL or an object; see [forward_auth.md](forward_auth.md).",
    kAuthKeys};
constexpr Shape kAuthObject = section(kAuthSection);
constexpr const Shape* kAuthForms[] = {&kAuthUrl, &kAuthObject};

}  // namespace

constexpr Shape kAuthShape = either("a URL or an object", kAuthForms);

namespace {

using gateway::AuthService;
using gateway::RouteOptions;

void report_same_fields(Build& build, const Node* written) {
  std::vector<std::string> seen;
  for (const Node* each : texts(written)) {
    const auto same = [&](const std::string& other) { return http::same_variable(other, each->text); };
    if (std::any_of(seen.begin(), seen.end(), same))
      build.report.error(code::kDuplicate, *each, in_quotes(each->written) + " appears twice in this list",
                         "remove one of the two");
    seen.push_back(each->text);
  }
}

const Node* url_node(const Node& auth) { return auth.kind == Kind::string ? &auth : text_at(&auth, "url"); }

/// Returns the upstream that the URL names; empty if it names none.
std::string named_upstream(const Build& build, std::string_view url) {
  const auto parts = http::split_url(url);
  const std::string host(parts.host_port);
  return same_word(parts.scheme, "http") && build.upstream_numbers.contains(host) ? host : std::string();
}

using Edits = std::shared_ptr<const gateway::EditOptions>;
using FieldEdit = gateway::FieldEdit;

/// Returns the upstreams that the requests of the route go to.
std::vector<std::string> upstreams_of(const RouteOptions& route) {
  std::vector<std::string> out;
  if (route.respond) return out;
  if (route.split)
    for (const auto& share : route.split->shares) out.push_back(share.upstream);
  else if (!route.to.empty())
    out.push_back(route.to);
  return out;
}

/// Returns the fields in which the route's servers receive values from the auth service.
std::vector<std::string> believed_fields(const RouteOptions& route) {
  auto out = route.auth->copy;
  if (!route.edits) return out;
  for (const auto& edit : route.edits->request_fields)
    if (edit.how == FieldEdit::How::set &&
        std::ranges::any_of(edit.value, [](const auto& part) { return part.kind == gateway::TextPart::Kind::auth; }))
      out.push_back(edit.name);
  return out;
}

/// Returns whether the edits remove a client's field of this name. An edit that only adds a field keeps the client's
/// field beside it.
bool drops(const Edits& edits, std::string_view name) {
  return edits && std::ranges::any_of(edits->request_fields, [name](const auto& edit) {
           return edit.how != FieldEdit::How::add && http::same_variable(edit.name, name);
         });
}

bool drops(const std::shared_ptr<const AuthService>& auth, std::string_view name) {
  return auth &&
         std::ranges::any_of(auth->copy, [name](const auto& copied) { return http::same_variable(copied, name); });
}

void check_shared_upstream(Build& build, std::size_t number) {
  const auto& routes = build.config.gateway.routes;
  const auto& all = build.config.gateway.all_routes.edits;
  const http::FieldNames dropped(build.config.gateway.proxy_fields);
  const auto fields = believed_fields(routes[number]);
  const auto own = upstreams_of(routes[number]);
  for (std::size_t i = 0; i < routes.size(); ++i) {
    const auto& other = routes[i];
    const auto others = upstreams_of(other);
    const auto shared = std::ranges::find_first_of(others, own);
    if (i == number || shared == others.end()) continue;
    for (const auto& name : fields) {
      if (http::same_word(name, "Authorization") || http::same_word(name, "Cookie") || dropped.contains(name)) continue;
      if (drops(other.auth, name) || drops(other.edits, name) || drops(all, name)) continue;
      build.report.warning_at_key(
          code::kBelieved, *find(build.route_nodes[number], "auth"),
          "any caller can send " + in_quotes(name) + " to upstream " + in_quotes(*shared) + " by " + route_text(other) +
              (other.auth ? ", whose auth service does not return it" : ", which asks no auth service"),
          "add \"request_headers\": { \"remove\": [" + in_quotes(name) + "] } there");
      return;
    }
  }
}

}  // namespace

void build_auth(Build& build, const Node& route, RouteOptions& out) {
  const Node* written = find(&route, "auth");
  if (written == nullptr) return;
  AuthService auth;
  fill(written, kAuthSection, auth);
  const Node* url = url_node(*written);
  if (url == nullptr) return;
  auth.url = url->text;
  const auto read = net::parse_url(auth.url, kAuthExample);
  if (read.has_error()) return;
  auth.target = read->target;
  // The query is cut off, because it may be a secret and must not be shown.
  auth.url.erase(std::min(auth.url.find('?'), auth.url.size()));
  auth.host = net::authority(*read);
  auth.to = named_upstream(build, auth.url);
  if (auth.to.empty()) auth.to = (read->scheme == net::Scheme::https ? "https://" : "http://") + auth.host;
  if (const Node* tell = find(written, "tell"); tell != nullptr && tell->kind == Kind::list) {
    auth.told.fill(false);
    for (const Node* each : texts(tell)) {
      const auto* const at =
          std::find(std::begin(gateway::kAuthRequestParts), std::end(gateway::kAuthRequestParts), each->text);
      if (at != std::end(gateway::kAuthRequestParts))
        auth.told[static_cast<std::size_t>(at - std::begin(gateway::kAuthRequestParts))] = true;
    }
    report_same_fields(build, tell);
  }
  for (const char* const key : {"fields", "copy", "copy_to_answer"}) report_same_fields(build, find(written, key));
  if (auth.remember > Duration(0) && !auth.fields)
    build.report.error_at_key(code::kConflict, *find(written, "remember"),
                              "nearly every request has different fields, so no answer could be used again",
                              R"(list the fields that the service looks at: "fields": ["Authorization", "Cookie"])");
  out.auth = std::make_shared<const AuthService>(std::move(auth));
}

void check_auth(Build& build) {
  const auto& routes = build.config.gateway.routes;
  for (std::size_t i = 0; i < routes.size(); ++i)
    if (routes[i].auth) check_shared_upstream(build, i);
}

void add_auth_upstreams(Build& build) {
  auto& upstreams = build.config.upstreams;
  for (std::size_t i = 0; i < build.config.gateway.routes.size(); ++i) {
    const auto& auth = build.config.gateway.routes[i].auth;
    if (!auth) continue;
    const auto same = [&](const gateway::UpstreamOptions& each) { return each.name == auth->to; };
    if (std::any_of(upstreams.begin(), upstreams.end(), same)) continue;
    auto url = parse_server(auth->to);
    if (url.has_error()) continue;  // URLs that cannot be parsed were reported before
    gateway::UpstreamOptions out;
    out.name = auth->to;
    if (url->tls) out.tls.emplace();
    out.servers.push_back(std::move(url->server));
    build_care(build, *url_node(*find(build.route_nodes[i], "auth")), out);
    upstreams.push_back(std::move(out));
  }
}

}  // namespace headgate::config
