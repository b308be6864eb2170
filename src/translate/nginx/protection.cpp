#include "protection.hpp"

#include "conditions.hpp"
#include "known.hpp"
#include "translate/draft/addresses.hpp"
#include "translate/draft/json.hpp"
#include "translate/draft/protect.hpp"

#include <algorithm>
#include <string>

namespace headgate::translate {
namespace {

std::vector<AddressRule> rules_of(const NginxScope& scope) {
  std::vector<AddressRule> out;
  for (const auto* each : scope.all("allow")) {
    const bool socket = each->word(0) == "unix:";  // headgate listens only on TCP
    if (!socket)
      out.push_back({.allow = each->name == "allow", .block = std::string(each->word(0)), .spot = each->spot});
  }
  return out;
}

/// Returns whether headgate determines the addresses of callers as nginx does in this scope.
bool finds_addresses(const NginxWork& work, const NginxScope& scope) {
  const auto& proxies = scope.all("set_real_ip_from");
  if (proxies.empty()) return work.proxies == nullptr;
  return proxies.front() == work.proxies && work.address_known;
}

void take_addresses(NginxWork& work, const NginxScope& scope, DraftEntry& route) {
  const auto rules = rules_of(scope);
  if (rules.empty()) return;
  if (!rules.front().allow && rules.front().block == "all") {
    route.fields.clear();
    route.uses.clear();
    return route.set("respond", R"({ "status": 403 })");
  }
  if (!route.get("addresses").empty())
    return close_once(work, route, "allow", *scope.all("allow").front(), scope.all("allow").front()->text(),
                      "an address must be allowed by both conditions: write their intersection as \"addresses\"");
  set_addresses(rules, route);
  if (!finds_addresses(work, scope))
    close_once(work, route, "allow", *scope.all("allow").front(), scope.all("allow").front()->text(),
               "this level trusts other proxies or another field for the client's address: write \"identity\": { "
               "\"trusted_proxies\" }, for all routes");
}

void take_certificates(const NginxScope& scope, DraftEntry& route) {
  const auto* const verify = scope.one("ssl_verify_client");
  if (verify != nullptr && verify->word(0) == "on") route.set("require", json_text("mtls"));
}

}  // namespace

void protect(NginxWork& work, const Directive& server, const NginxScope& scope, DraftEntry& route) {
  take_addresses(work, scope, route);
  if (route.get("to").empty()) return;
  take_certificates(scope, route);
  ask_service(work, server, scope, route);
  ask_password(work, scope, route);
  for (const auto* each : scope.untranslated())
    close_once(work, route, each->name, *each, each->text(), fate_of(*each).why);
}

bool only_this_machine(const Directive& server) {
  bool any = false;
  for (const auto& each : server.block) {
    if (each.name != "listen") continue;
    any = true;
    const auto address = each.word(0);
    if (!address.starts_with("127.") && !address.starts_with("localhost") && !address.starts_with("[::1]") &&
        !address.starts_with("unix:"))
      return false;
  }
  return any;
}

}  // namespace headgate::translate
