// Translates access control: middlewares, client certificates, entry points.

#include "known.hpp"
#include "translate/draft/addresses.hpp"
#include "translate/draft/auth.hpp"
#include "translate/draft/basic.hpp"
#include "translate/draft/json.hpp"
#include "translate/draft/protect.hpp"
#include "translate/traefik/work.hpp"

#include "headgate/core/text.hpp"

#include <algorithm>
#include <array>

namespace headgate::translate {
namespace {

void forward_auth(TraefikWork& work, const TreeNode& node, DraftEntry& route) {
  set_auth(route,
           {.url = text_in(node, "address"),
            .copy = comma_list(member_of(node, "authResponseHeaders")),
            .fields = comma_list(member_of(node, "authRequestHeaders")),
            .cookies = !comma_list(member_of(node, "addAuthCookiesToResponse")).empty(),
            .timeout = {}},
           node.spot, "forwardAuth");
  for (const auto& [name, value] : node.members) {
    const auto plain = lower(name);
    if (plain == "forwardbody" && is_true(value.text))
      close_route(route, "forwardAuth", value.spot, "forwardAuth: " + name, "the service of \"auth\" gets no body");
    if (plain == "authresponseheadersregex" || plain == "tls" || plain == "headerfield")
      say(route, Matter::lost, value.spot, "forwardAuth: " + name,
          plain == "tls" ? "write the service as an upstream with \"tls\", and its name in the \"url\" of \"auth\""
                         : "name the fields that the server gets in \"copy\"");
  }
  if (work.said.insert("forwardauth").second)
    say(route, Matter::differs, node.spot, "forwardAuth",
        "Traefik passes every answer of the service to the caller; headgate passes 401, 403 and redirects, and answers "
        "503 otherwise");
}

void basic_auth(const TreeNode& node, DraftEntry& route) {
  if (!comma_list(member_of(node, "users")).empty()) return set_basic(route, {}, node.spot, "basicAuth: users");
  const auto realm = text_in(node, "realm");
  set_basic(route,
            {.file = text_in(node, "usersFile"),
             .realm = realm.empty() ? "traefik" : realm,
             .pass_on = text_in(node, "removeHeader") != "true"},
            node.spot, "basicAuth");
  if (const auto field = text_in(node, "headerField"); !field.empty())
    say(route, Matter::lost, node.spot, "headerField: " + field,
        "write \"request_headers\": { \"set\": { \"" + field + "\": \"${basic.user}\" } } in the route");
}

void allow_addresses(TraefikWork& work, const TreeNode& node, DraftEntry& route) {
  const bool several = !route.get("addresses").empty();
  if (several || comma_list(member_of(node, "sourceRange")).empty()) {
    return close_route(route, "ipAllowList", node.spot, "ipAllowList",
                       several ? "an address must be in all of these lists: write their intersection as \"addresses\""
                               : "it has no \"sourceRange\"");
  }
  set_addresses(address_rules(comma_list(member_of(node, "sourceRange")), {}, node.spot), route);
  const auto& strategy = member_of(node, "ipStrategy");
  if (!strategy.members.empty() && work.draft.identity.get("trusted_proxies").empty())
    close_route(route, "ipAllowList", strategy.spot, "ipStrategy",
                "headgate finds the client's address by \"trusted_proxies\" in \"identity\", and takes that of the "
                "connection without them");
  else if (!strategy.members.empty())
    say(route, Matter::differs, strategy.spot, "ipStrategy",
        "headgate finds the client's address by \"trusted_proxies\" in \"identity\"");
  if (const auto status = text_in(node, "rejectStatusCode"); !status.empty() && status != "403")
    say(route, Matter::differs, node.spot, "rejectStatusCode: " + status, "headgate refuses addresses with 403");
}

void ask_for_certificate(TraefikWork& work, const std::string& options, const Spot& spot, DraftEntry& route) {
  const auto found = work.client_auth.find(options);
  if (found == work.client_auth.end()) return;
  const auto type = lower(text_in(*found->second, "clientAuthType", "NoClientCert"));
  const bool required = type.starts_with("require");
  const auto authorities = comma_list(member_of(*found->second, "caFiles"));
  if (!required) return;
  if (authorities.size() != 1)
    return close_route(route, "clientAuth", spot, "clientAuth",
                       "write one file with all authorities as \"client_ca\" in \"tls\" of a listener, and "
                       "\"require\": \"mtls\" in the route");
  route.set("require", json_text("mtls"));
  if (type == "requireanyclientcert" && work.said.insert("anycert").second)
    say(route, Matter::differs, spot, "RequireAnyClientCert", "headgate always verifies client certificates");
}

}  // namespace

std::vector<std::string> comma_list(const TreeNode& node) {
  std::vector<std::string> out;
  for (const auto& text : node.texts())
    for (std::string_view rest = text; !rest.empty();) {
      const auto part = rest.substr(0, rest.find(','));
      rest.remove_prefix(std::min(rest.size(), part.size() + 1));
      if (const auto each = trimmed(part); !each.empty()) out.emplace_back(each);
    }
  return out;
}

bool is_for_all(const TreeNode& router) {
  constexpr std::array<std::string_view, 4> kPublic{"web", "websecure", "http", "https"};
  const auto points = comma_list(member_of(router, "entryPoints"));
  return points.empty() || std::ranges::any_of(points, [&](const auto& each) {
           return std::ranges::any_of(kPublic, [&](auto name) { return same_word(name, each); });
         });
}

bool apply_access(TraefikWork& work, const std::string& kind, const std::string& written, const TreeNode& node,
                  DraftEntry& route) {
  if (kind == "forwardauth")
    forward_auth(work, node, route);
  else if (kind == "basicauth")
    basic_auth(node, route);
  else if (kind == "digestauth")
    close_route(route, written, node.spot, written, std::string(traefik_middleware(kind)->why));
  else if (kind == "ipallowlist" || kind == "ipwhitelist")
    allow_addresses(work, node, route);
  else
    return false;
  return true;
}

void guard_router(TraefikWork& work, const TreeNode& router, DraftEntry& route) {
  if (work.has_public && !is_for_all(router))
    close_route(route, "its entry points", router.spot,
                "entryPoints: " + joined(comma_list(member_of(router, "entryPoints")), ", "),
                "headgate's routes apply to all listeners: run a separate gateway for this one");
  const auto& tls = member_of(router, "tls");
  if (!tls) return;
  auto options = text_in(tls, "options", "default");
  options = options.substr(0, options.find('@'));
  if (options != "default" && !work.tls_options.contains(options))
    return close_route(route, "options of TLS", tls.spot, "tls options: " + options, "none of the files defines them");
  ask_for_certificate(work, options, tls.spot, route);
  const auto with_tls = [](const DraftEntry& listener) { return !listener.get("tls").empty(); };
  if (std::ranges::any_of(work.draft.listeners, with_tls) && route.get("redirect_to_https").empty())
    route.set("redirect_to_https", "true");
}

std::vector<std::string> middlewares_of(const TraefikWork& work, const TreeNode& router) {
  const auto points = comma_list(member_of(router, "entryPoints"));
  std::vector<std::string> out;
  const auto add = [&](const std::vector<std::string>& names) {
    for (const auto& name : names)
      if (std::ranges::find(out, name) == out.end()) out.push_back(name);
  };
  for (const auto& [point, names] : work.of_entry_points)
    if (points.empty() || std::ranges::any_of(points, [&](const auto& each) { return same_word(each, point); }))
      add(names);
  add(comma_list(member_of(router, "middlewares")));
  return out;
}

}  // namespace headgate::translate
