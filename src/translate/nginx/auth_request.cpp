// Translates auth_request. The auth service is a location of the same server.

#include "translate/draft/auth.hpp"
#include "translate/draft/json.hpp"
#include "translate/nginx/work.hpp"

#include "headgate/core/text.hpp"

#include <algorithm>
#include <set>

namespace headgate::translate {
namespace {

/// Returns whether the field need not be configured: headgate sends it to an auth service anyway, or the field carries
/// no information.
bool is_told_anyway(const std::string& plain, std::string_view value) {
  static const std::set<std::string, std::less<>> kTold = {
      "content-length",  "x-original-uri",    "x-original-method", "x-original-url",
      "x-forwarded-for", "x-forwarded-proto", "x-forwarded-host",  "x-forwarded-method",
      "x-forwarded-uri", "x-request-id",      "connection",        "transfer-encoding"};
  return kTold.contains(plain) || (plain == "host" && value == "$proxy_host");
}

}  // namespace

const Directive* location_of(const Directive& server, std::string_view path) {
  const Directive* best = nullptr;
  std::size_t length = 0;
  for (const auto& each : server.block) {
    if (each.name != "location" || each.words.empty()) continue;
    const auto modifier = each.words.size() > 1 ? each.word(0) : std::string_view();
    const auto text = each.words.size() > 1 ? each.word(1) : each.word(0);
    if (modifier.starts_with('~')) continue;
    if (modifier == "=" && text == path) return &each;
    if (modifier == "=" || !path.starts_with(text) || text.size() < length) continue;
    best = &each;
    length = text.size();
  }
  return best;
}

std::string said_by_service(const NginxScope& scope, std::string_view variable) {
  constexpr std::string_view kField = "$upstream_http_";
  for (const auto* each : scope.all("auth_request_set")) {
    const auto value = each->word(1);
    if (each->word(0) != "$" + std::string(variable) || !value.starts_with(kField)) continue;
    auto field = std::string(value.substr(kField.size()));
    std::replace(field.begin(), field.end(), '_', '-');
    return "auth." + field;
  }
  return {};
}

void ask_service(NginxWork& work, const Directive& server, const NginxScope& scope, DraftEntry& route) {
  const auto* const asks = scope.one("auth_request");
  if (asks == nullptr || asks->word(0) == "off") return;
  const auto path = std::string(asks->word(0));
  const auto* const location = location_of(server, path);
  NginxScope inside = scope;
  if (location != nullptr) inside.enter(location->block);
  const Directive* pass = nullptr;
  if (location != nullptr)
    for (const auto& each : location->block)
      if (each.name == "proxy_pass") pass = &each;
  DraftAuth auth;
  if (pass != nullptr) {
    std::string authority;
    std::string target;
    bool is_block = false;
    DraftEntry said;
    const auto upstream = upstream_for(work, *pass, inside, said, authority, target, is_block);
    const auto own = location->words.size() > 1 ? location->word(1) : location->word(0);
    // A path in proxy_pass replaces the part of the request's path that the location matched. Without a path in
    // proxy_pass, the request's path stays.
    auto to = target.empty() ? path : target + path.substr(std::min(own.size(), path.size()));
    if (!upstream.empty()) auth.url = "http://" + upstream + to;
    route.remarks.insert(route.remarks.end(), said.remarks.begin(), said.remarks.end());
    if (const auto* const time = inside.one("proxy_read_timeout"))
      if (const auto span = nginx_time(time->word(0)); span && *span > 0) auth.timeout = milliseconds(*span);
    for (const auto* each : inside.all("proxy_set_header"))
      if (const auto plain = lower(std::string(each->word(0))); !is_told_anyway(plain, each->word(1)))
        say(route, Matter::lost, each->spot, each->text(),
            "the auth service gets the fields of the request, and X-Original-* and X-Forwarded-*");
  }
  set_auth(route, auth, asks->spot, asks->text());
  if (!auth.url.empty() && work.said.insert("auth_request").second)
    say(route, Matter::differs, asks->spot, asks->text(),
        "while the service fails nginx answers 500, headgate 503; its redirects, which are an error to nginx, are the "
        "caller's answer here");
}

}  // namespace headgate::translate
