// Builds what keeps callers on https: redirects, and Strict-Transport-Security.

#include "config/build.hpp"
#include "config/formats/formats.hpp"
#include "config/table_shapes.hpp"
#include "config/text/codes.hpp"
#include "config/values.hpp"

#include "headgate/core/whole_number.hpp"

#include <algorithm>
#include <chrono>

namespace headgate::config {
namespace {

constexpr Shape kHttpsPort = integer(1, 65'535);
constexpr const Shape* kRedirectForms[] = {&kBoolean, &kHttpsPort};
constexpr Shape kMaxAge = text("a time", check_max_age);
constexpr Key kHstsKeys[] = {
    {"max_age", &kMaxAge, "", R"("1y")", "How long browsers remember it, up to `10y`; `0s` makes them forget",
     required},
    {"include_subdomains", &kBoolean, "false", "true", "Whether it applies to every host below, too"},
    {"preload", &kBoolean, "false", "true",
     "Whether browsers may add the host to their built-in lists, which is hard to undo"},
};
constexpr Section kHstsSection{
    "hsts", "hsts", "`Strict-Transport-Security` in answers on TLS connections: a time, or an object.", kHstsKeys};
constexpr Shape kHstsObject = section(kHstsSection);
constexpr const Shape* kHstsForms[] = {&kMaxAge, &kHstsObject};

}  // namespace

constexpr Shape kRedirectToHttps = either("true, false or a port", kRedirectForms);
constexpr Shape kHsts = either("a time or an object", kHstsForms);

namespace {

using Seconds = std::chrono::seconds;
constexpr Seconds kYear = std::chrono::days(365);
constexpr std::uint64_t kMaxYears = 10;
constexpr std::uint16_t kHttps = 443;

/// Reads "1y", "180d" or "0s". Returns an empty value for any other text.
std::optional<Seconds> parse_max_age(std::string_view text) {
  if (text == "0s") return Seconds(0);
  if (text.ends_with('y')) {
    const auto years = whole_number<std::uint64_t>(text.substr(0, text.size() - 1), 1, kMaxYears);
    if (!years) return std::nullopt;
    return kYear * *years;
  }
  const auto read = parse_duration(text);
  if (read.has_error() || *read < Seconds(1)) return std::nullopt;
  return std::chrono::duration_cast<Seconds>(*read);
}

/// Returns whether the gateway can see that a client uses TLS.
bool sees_tls(const Config& config) {
  return !config.identity.trusted_proxies.empty() ||
         std::any_of(config.listen.begin(), config.listen.end(), [](const auto& each) { return each.tls.has_value(); });
}

constexpr const char* kNameTheProxy =
    R"(give a listener "tls", or name the proxy that terminates their TLS: "identity": { "trusted_proxies": ["10.0.0.0/8"] })";

void warn_of_redirect(Report& report, const Node* where) {
  if (where == nullptr || where->kind != Kind::object) return;
  const Node* written = find(where, "redirect_to_https");
  if (written == nullptr || written->text == "false") return;
  report.warning_at_key(
      code::kProxies, *written,
      "clients behind a proxy that terminates TLS are redirected endlessly, because no proxy is trusted",
      kNameTheProxy);
}

void warn_beside_tls(Report& report, const Node* listener) {
  if (listener == nullptr || listener->kind != Kind::object || find(listener, "tls") == nullptr) return;
  const Node* written = find(listener, "redirect_to_https");
  if (written == nullptr || written->text == "false") return;
  report.warning_at_key(code::kNoEffect, *written,
                        "\"redirect_to_https\" has no effect here: all clients of this listener use TLS",
                        "write it at a listener without \"tls\", or remove it");
}

/// Warns if `true` sends clients to a port that no TLS listener has. A port that the user has written is taken to be
/// intended.
void warn_of_port(Report& report, const net::ListenOptions& secure, const Node* where) {
  if (where == nullptr || where->kind != Kind::object) return;
  const Node* written = find(where, "redirect_to_https");
  if (written == nullptr || written->text != "true" || find(where, "tls") != nullptr) return;
  const auto port = std::to_string(secure.port);
  report.warning_at_key(code::kElsewhere, *written,
                        "\"redirect_to_https\": true sends clients to port 443, and the listener with TLS has " + port,
                        "write \"redirect_to_https\": " + port + ", or 443 if clients reach that port there");
}

/// Returns the first TLS listener, if none is at port 443. Null if one is at port 443, or if none has a fixed port.
const net::ListenOptions* secure_elsewhere(const config::Config& config) {
  const net::ListenOptions* out = nullptr;
  for (const auto& each : config.listen) {
    if (!each.tls || each.port == 0) continue;
    if (each.port == kHttps) return nullptr;
    if (out == nullptr) out = &each;
  }
  return out;
}

}  // namespace

std::optional<LiteralError> check_max_age(std::string_view text) {
  if (parse_max_age(text)) return std::nullopt;
  return LiteralError{in_quotes(text) + " is not a time that browsers can remember",
                      R"(write "1y", "180d" or "5m"; "0s" makes browsers forget it)"};
}

void read_https_port(const Node& node, std::optional<std::uint16_t>& out) {
  const Node* written = find(&node, "redirect_to_https");
  if (written == nullptr) return;
  if (written->kind == Kind::boolean) out = written->text == "true" ? kHttps : std::uint16_t{0};
  if (written->kind == Kind::number) read_number(&node, "redirect_to_https", out.emplace(kHttps));
}

void build_hsts(Build& build) {
  const Node* written = find(&build.root, "hsts");
  if (written == nullptr) return;
  const bool object = written->kind == Kind::object;
  const Node* age = object ? text_at(written, "max_age") : written;
  if (age == nullptr || age->kind != Kind::string) return;
  const auto seconds = parse_max_age(age->text);
  if (!seconds) return;
  bool below = false;
  bool preload = false;
  if (object) {
    read(written, "include_subdomains", below);
    read(written, "preload", preload);
  }
  build.config.gateway.hsts = "max-age=" + std::to_string(seconds->count());
  if (below) build.config.gateway.hsts += "; includeSubDomains";
  if (preload) build.config.gateway.hsts += "; preload";
  if (preload && (!below || *seconds < kYear)) {
    build.report.warning_at_key(
        code::kNoEffect, *find(written, "preload"),
        "browsers accept a host for their preload lists only with \"include_subdomains\" and a \"max_age\" of 1y or "
        "more",
        R"(write "hsts": { "max_age": "1y", "include_subdomains": true, "preload": true }, or remove "preload")");
  }
}

void check_https(Build& build) {
  const Node* listen = find(&build.root, "listen");
  warn_beside_tls(build.report, listen);
  for (const Node* each : children(listen, Kind::list)) warn_beside_tls(build.report, each);
  if (const auto* const secure = secure_elsewhere(build.config)) {
    warn_of_port(build.report, *secure, listen);
    for (const Node* each : children(listen, Kind::list)) warn_of_port(build.report, *secure, each);
    for (const Node* each : build.route_nodes) warn_of_port(build.report, *secure, each);
  }
  if (sees_tls(build.config)) return;
  if (const Node* written = find(&build.root, "hsts"); written != nullptr && !build.config.gateway.hsts.empty()) {
    build.report.warning_at_key(code::kNoEffect, *written,
                                "\"hsts\" has no effect: no client is known to use TLS, and without TLS it is not sent",
                                kNameTheProxy);
  }
  warn_of_redirect(build.report, listen);
  for (const Node* each : children(listen, Kind::list)) warn_of_redirect(build.report, each);
  for (const Node* each : build.route_nodes) warn_of_redirect(build.report, each);
}

}  // namespace headgate::config
