// Builds the cross-origin rules of a route: which pages of other origins may use it.

#include "config/build.hpp"
#include "config/formats/formats.hpp"
#include "config/once.hpp"
#include "config/table_shapes.hpp"
#include "config/text/codes.hpp"
#include "config/values.hpp"

#include "headgate/core/text.hpp"
#include "headgate/http/origin.hpp"

#include <algorithm>
#include <chrono>

namespace headgate::config {
namespace {

constexpr Shape kOrigin = text("an origin", check_origin);
constexpr Shape kOriginList = list("a list of origins", kOrigin, 1, 100);
constexpr const Shape* kOriginForms[] = {&kOrigin, &kOriginList};
constexpr Shape kOrigins = either("an origin or a list of origins", kOriginForms);
constexpr Shape kCorsMethod = text("a method", check_method);
constexpr Shape kCorsMethods = list("a list of methods", kCorsMethod, 1, 64);
constexpr Shape kCorsFields = list("a list of field names", kHeaderName, 0, 64);
constexpr std::string_view kAnyField[] = {"*"};
constexpr Shape kAnyFieldWord = choice(kAnyField);
constexpr const Shape* kCorsHeaderForms[] = {&kAnyFieldWord, &kCorsFields};
constexpr Shape kCorsHeaders = either("`*` or a list of field names", kCorsHeaderForms);
constexpr Key kCorsKeys[] = {
    {"origins", &kOrigins, "", R"(["https://app.example.com", "https://*.example.org"])",
     "Origins (scheme, host, port) that may read answers. `https://*.example.org` means every host below, `*` every "
     "page, `null` files and sandboxed frames",
     required},
    {"methods", &kCorsMethods, "", R"(["GET", "POST"])",
     "Methods that a page may use. Default: those of the routes for the path"},
    {"headers", &kCorsHeaders, R"(["Authorization", "Content-Type"])", R"(["Authorization", "X-Tenant"])",
     "Request fields that a page may send, in addition to those always allowed; `*` for any"},
    {"expose", &kCorsFields, "[]", R"(["X-Total-Count"])",
     "Answer fields that a page may read, in addition to those always allowed and to `Retry-After`, `Retry-After-Ms`, "
     "`X-Should-Retry`, the `RateLimit` fields, `X-Request-Id`, `WWW-Authenticate`, `Appointment` and "
     "`Waiting-Room-Ticket`"},
    {"credentials", &kBoolean, kOfOptions, "true",
     "Whether a page may use the browser's cookies and certificates; `origins` must then name the pages",
     into<&gateway::Cors::credentials>},
    {"max_age", &kDelay, "10m", R"("1h")",
     "How long browsers may cache the answer to a preflight; they cut it at two hours or a day"},
};
constexpr Section kCorsSection{"cors", "all_routes.cors",
                               "Pages of other origins that may use a route from a browser (CORS): an object, or "
                               "`\"off\"`. headgate answers preflights itself.",
                               kCorsKeys};
constexpr Shape kCorsObject = section(kCorsSection);
constexpr std::string_view kOffWord[] = {"off"};
constexpr Shape kCorsOff = choice(kOffWord);
constexpr const Shape* kCorsForms[] = {&kCorsObject, &kCorsOff};

}  // namespace

constexpr Shape kCorsShape = either("an object or \"off\"", kCorsForms);

namespace {

using gateway::Cors;

constexpr std::string_view kBelow = "://*.";

/// Joins the texts at `key` to the value of a field; each may occur once.
std::string joined_value(Build& build, const Node& section, std::string_view key, std::string out = {}) {
  std::vector<std::string> met;
  for (const Node* each : texts(find(&section, key))) {
    if (!add_once(build.report, *each, lower(each->text), met)) continue;
    out.append(out.empty() ? "" : ", ").append(each->text);
  }
  return out;
}

/// Adds one origin of the list. An invalid one is already reported.
void add_origin(Build& build, const Node& node, Cors& out) {
  std::string text = node.text;
  if (text == "*") {
    out.any = true;
    return;
  }
  const auto star = text.find(kBelow);
  if (star != std::string::npos) text.erase(star + kBelow.size() - 2, 2);
  std::string normal;
  if (text == "null")
    normal = text;
  else if (!http::normalise_origin(text, normal))
    return;
  if (star != std::string::npos) {
    const auto host = normal.find("://") + 3;
    out.below.push_back({.begin = normal.substr(0, host), .end = '.' + normal.substr(host)});
    return;
  }
  add_once(build.report, node, std::move(normal), out.origins);
}

void origins(Build& build, const Node& section, Cors& out) {
  const auto nodes = texts(find(&section, "origins"));
  for (const Node* each : nodes) add_origin(build, *each, out);
  if (out.any && nodes.size() > 1) {
    const auto star = std::find_if(nodes.begin(), nodes.end(), [](const Node* each) { return each->text == "*"; });
    build.report.error(code::kConflict, **star, "\"*\" stands for every page, so the other origins say nothing",
                       "remove \"*\", or write \"origins\": \"*\"");
  }
  if (!out.credentials) return;
  if (out.any) {
    build.report.error_at_key(code::kConflict, *find(&section, "credentials"),
                              "with \"origins\": \"*\" every page could act as the user who is signed in",
                              "name the origins, or remove \"credentials\"");
  }
  for (const Node* each : nodes) {
    if (each->text != "null") continue;
    build.report.warning(code::kBelieved, *each, "any page can have the origin \"null\", and act as the user",
                         "remove it, or remove \"credentials\"");
  }
}

gateway::CorsPtr rules_of(Build& build, const Node& section) {
  Cors out;
  fill(&section, kCorsSection, out);
  origins(build, section, out);
  out.methods = joined_value(build, section, "methods");
  out.headers = gateway::kUsualHeaders;
  if (const Node* headers = find(&section, "headers")) {
    out.any_header = headers->kind == Kind::string;
    out.headers = out.any_header ? "" : joined_value(build, section, "headers");
  }
  out.expose = joined_value(build, section, "expose", gateway::kAlwaysExposed);
  Duration max_age = std::chrono::minutes(10);
  const Node* written = text_at(&section, "max_age");
  if (written != nullptr && written->text == "0s")
    max_age = Duration(0);
  else
    read(&section, "max_age", max_age);
  out.max_age = std::to_string(std::chrono::duration_cast<std::chrono::seconds>(max_age).count());
  return std::make_shared<const Cors>(std::move(out));
}

}  // namespace

void build_cors(Build& build, const Node* section, gateway::CorsPtr& out) {
  const Node* cors = find(section, "cors");
  if (cors == nullptr) return;
  out = cors->kind == Kind::object ? rules_of(build, *cors) : nullptr;
}

// Browsers send an origin in one spelling: scheme, host and port alone.
std::optional<LiteralError> check_origin(std::string_view text) {
  if (text == "*" || text == "null") return std::nullopt;
  std::string plain(text);
  if (const auto star = plain.find(kBelow); star != std::string::npos) plain.erase(star + kBelow.size() - 2, 2);
  std::string normal;
  if (http::normalise_origin(plain, normal)) return std::nullopt;
  const bool has_scheme = text.find("://") != std::string_view::npos;
  if (!has_scheme)
    return LiteralError{in_quotes(text) + " is not an origin", "write its scheme, as in \"https://app.example.com\""};
  const auto host = text.find("://") + 3;
  const auto slash = text.find('/', host);
  if (slash != std::string_view::npos && http::normalise_origin(text.substr(0, slash), normal))
    return LiteralError{in_quotes(text) + " is not an origin: it has a path", "write " + in_quotes(normal)};
  if (text.find('*') != std::string_view::npos)
    return LiteralError{in_quotes(text) + " is not an origin",
                        R"(a "*" stands in front of a domain, as in "https://*.example.com", or alone)"};
  return LiteralError{in_quotes(text) + " is not an origin",
                      R"(write scheme, host and port alone, as in "https://app.example.com:8443")"};
}

}  // namespace headgate::config
