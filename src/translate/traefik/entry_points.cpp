// Translates Traefik's static configuration and its certificates.

#include "translate/draft/json.hpp"
#include "translate/reading/numbers.hpp"
#include "translate/traefik/work.hpp"

#include "headgate/core/text.hpp"

#include <algorithm>

namespace headgate::translate {
namespace {

/// Returns the port of "websecure" or ":8443", or an empty text for 443.
std::string port_of(const TreeNode& points, const std::string& to) {
  const auto address = to.find(':') != std::string::npos ? to : text_in(member_of(points, to), "address");
  auto port = address.substr(address.rfind(':') == std::string::npos ? address.size() : address.rfind(':') + 1);
  port = port.substr(0, port.find('/'));
  return whole_count(port) && port != "443" ? port : std::string();
}

void take_redirection(TraefikWork& work, const TreeNode& points, const std::string& name, const TreeNode& entry_point) {
  const auto& redirection = member_of(entry_point, "entryPoint");
  const auto to = text_in(redirection, "to");
  const auto scheme = text_in(redirection, "scheme", "https");
  if (to.empty()) return;
  if (scheme != "https")
    return work.draft.say(Matter::lost, redirection.spot, name + ": redirections", "write a route with \"redirect\"");
  const auto port = port_of(points, to);
  for (auto& listener : work.draft.listeners)
    if (listener.get("tls").empty()) listener.set("redirect_to_https", port.empty() ? "true" : port);
}

}  // namespace

void take_entry_points(TraefikWork& work, const TreeNode& points) {
  for (const auto& [name, point] : points.members) {
    const auto& http = member_of(point, "http");
    for (const auto& middleware : comma_list(member_of(http, "middlewares")))
      work.of_entry_points[name].push_back(middleware);
    take_redirection(work, points, name, member_of(http, "redirections"));
    const auto& forwarded = member_of(point, "forwardedHeaders");
    if (const auto trusted = comma_list(member_of(forwarded, "trustedIPs")); !trusted.empty())
      work.draft.identity.set("trusted_proxies", texts_of(trusted));
    if (is_true(text_in(forwarded, "insecure")))
      work.draft.say(Matter::lost, forwarded.spot, name + ": insecure",
                     "name the proxies in front in \"trusted_proxies\" of \"identity\"");
    if (const auto& proxy = member_of(point, "proxyProtocol"))
      work.draft.say(Matter::lost, proxy.spot, name + ": proxyProtocol",
                     "write \"proxy_protocol\" in the listener, and \"trusted_proxies\" in \"identity\"");
  }
}

void take_tls(TraefikWork& work, const TreeNode& tls) {
  const TreeNode* asks = nullptr;
  for (const auto& [name, options] : member_of(tls, "options").members) {
    work.tls_options.insert(name);
    const auto& client_auth = member_of(options, "clientAuth");
    if (!client_auth) continue;
    work.client_auth.emplace(name, &client_auth);
    if (!comma_list(member_of(client_auth, "caFiles")).empty()) asks = &client_auth;
  }
  const auto pairs = member_of(tls, "certificates").each();
  if (pairs.empty()) return;
  auto& listener = work.draft.listeners.emplace_back();
  listener.spot = pairs.front()->spot;
  listener.from = "tls.certificates";
  listener.set("address", json_text(":443"));
  std::vector<std::pair<std::string, std::string>> members{
      {"certificate", json_text(text_in(*pairs.front(), "certFile"))},
      {"key", json_text(text_in(*pairs.front(), "keyFile"))}};
  if (asks != nullptr) {
    members.emplace_back("client_ca", json_text(comma_list(member_of(*asks, "caFiles")).front()));
    say(listener, Matter::differs, asks->spot, "clientAuth",
        "a certificate that cannot be verified ends the handshake on all routes; one without it may use those without "
        "\"require\"");
  }
  if (pairs.size() > 1)
    say(listener, Matter::lost, pairs.front()->spot, "certificates", "write the others in \"certificates\" of \"tls\"");
  listener.set("tls", object_of(members));
}

}  // namespace headgate::translate
