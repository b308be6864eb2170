// What becomes of annotations of ingress-nginx that are no part of routes and limits.

#include "translate/ingress/work.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace headgate::translate {
namespace {

/// Annotations that shape requests and answers.
bool keeps_nobody_out(const std::string& name) {
  static constexpr std::array<std::string_view, 36> kBeginnings{"proxy-",
                                                                "upstream-",
                                                                "affinity",
                                                                "session-cookie",
                                                                "canary",
                                                                "custom-http-errors",
                                                                "default-backend",
                                                                "custom-headers",
                                                                "client-body-buffer-size",
                                                                "connection-proxy-header",
                                                                "enable-access-log",
                                                                "enable-rewrite-log",
                                                                "enable-opent",
                                                                "opent",
                                                                "server-alias",
                                                                "app-root",
                                                                "from-to-www-redirect",
                                                                "preserve-trailing-slash",
                                                                "mirror-",
                                                                "x-forwarded-prefix",
                                                                "load-balance",
                                                                "service-upstream",
                                                                "ssl-ciphers",
                                                                "ssl-prefer",
                                                                "http2-push",
                                                                "auth-signin",
                                                                "auth-method",
                                                                "auth-cache",
                                                                "auth-proxy-set-headers",
                                                                "auth-request-redirect",
                                                                "auth-keepalive",
                                                                "auth-realm",
                                                                "auth-secret",
                                                                "auth-tls-",
                                                                "cors-",
                                                                "limit-"};
  return std::ranges::any_of(kBeginnings, [&](auto begin) { return name.starts_with(begin); });
}

}  // namespace

void say_annotations(IngressWork& work, IngressObject& object) {
  static const std::set<std::string, std::less<>> kTranslated = {"limit-rps",
                                                                 "limit-rpm",
                                                                 "limit-connections",
                                                                 "limit-whitelist",
                                                                 "limit-allowlist",
                                                                 "limit-burst-multiplier",
                                                                 "rewrite-target",
                                                                 "use-regex",
                                                                 "ssl-redirect",
                                                                 "force-ssl-redirect",
                                                                 "proxy-body-size",
                                                                 "proxy-read-timeout",
                                                                 "proxy-connect-timeout",
                                                                 "backend-protocol",
                                                                 "upstream-vhost",
                                                                 "enable-cors",
                                                                 "cors-allow-origin",
                                                                 "cors-allow-methods",
                                                                 "cors-allow-headers",
                                                                 "cors-allow-credentials",
                                                                 "whitelist-source-range",
                                                                 "allowlist-source-range",
                                                                 "denylist-source-range",
                                                                 "permanent-redirect",
                                                                 "temporal-redirect",
                                                                 "auth-url",
                                                                 "auth-response-headers",
                                                                 "auth-always-set-cookie"};
  static const std::map<std::string, std::pair<Matter, const char*>, std::less<>> kOthers = {
      {"limit-rate", {Matter::lost, "headgate limits requests, not bytes a second"}},
      {"limit-rate-after", {Matter::lost, "headgate limits requests, not bytes a second"}},
      {"canary", {Matter::lost, "write several upstreams in \"to\", with \"weight\""}},
      {"auth-signin", {Matter::lost, "the auth service itself says where callers sign in, by a redirect"}},
      {"auth-method", {Matter::lost, "headgate asks an auth service by GET"}},
      {"auth-cache-key", {Matter::lost, "write \"remember\" in \"auth\""}},
      {"auth-cache-duration", {Matter::lost, "write \"remember\" in \"auth\""}},
      {"auth-snippet", {Matter::closed, "it is nginx's own language: write what protects the route"}},
      {"auth-type",
       {Matter::closed,
        "the users are in the cluster: write them into a file, and \"basic\" with this file in the route"}},
      {"auth-tls-secret",
       {Matter::closed, "write \"client_ca\" in \"tls\" of a listener, and \"require\": \"mtls\" in the route"}},
      {"configuration-snippet", {Matter::closed, "it is nginx's own language: write what protects the route"}},
      {"server-snippet", {Matter::closed, "it is nginx's own language: write what protects the route"}},
      {"satisfy", {Matter::lost, "headgate's conditions must all hold"}},
      {"proxy-send-timeout",
       {Matter::aside, "headgate gives up on a server that takes no byte for \"timeouts\": { \"write\" }"}},
      {"proxy-buffering", {Matter::aside, "headgate passes bodies on as they come"}},
      {"proxy-buffer-size", {Matter::aside, "headgate passes bodies on as they come"}},
      {"proxy-request-buffering", {Matter::aside, "headgate passes bodies on as they come"}},
      {"affinity",
       {Matter::lost, "headgate sets no cookie to find a server again; see \"consistent_hash\" in \"balance\""}}};
  for (const auto& [name, node] : object.annotations) {
    if (kTranslated.contains(name)) continue;
    const auto what = name + ": " + node->text;
    const auto other = kOthers.find(name);
    if (other != kOthers.end() && other->second.first != Matter::closed)
      work.draft.say(other->second.first, node->spot, what, other->second.second);
    else if (other != kOthers.end())
      object.closing.push_back({Matter::closed, node->spot, name, other->second.second});
    else if (keeps_nobody_out(name))
      work.draft.say(Matter::lost, node->spot, what, "headgate import does not know it");
    else
      object.closing.push_back({Matter::closed, node->spot, name,
                                "headgate import does not know it: write what protects the route, or take it out"});
  }
}

}  // namespace headgate::translate
