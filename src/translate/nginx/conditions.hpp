#pragma once
// "if" and "rewrite" of nginx: what they do to the routes of their level.

#include "translate/nginx/matches.hpp"
#include "translate/nginx/work.hpp"

#include <optional>
#include <string>
#include <vector>

namespace headgate::translate {

/// Methods that get an answer of their own.
struct NginxMethods {
  std::vector<std::string> methods;
  bool others = false;  ///< all methods but these get it
  std::string respond;  ///< the answer, as JSON
  const Directive* from = nullptr;
  const Directive* block = nullptr;  ///< what holds for them in place of the answer; or null
};

/// The port of "https://$host:8443$request_uri" as "redirect_to_https" has it: "8443", or "true". Empty: it leads
/// elsewhere.
std::string https_port(std::string_view url);

/// Whether a `rewrite` sends requests elsewhere, so that the server of their location never gets them.
bool leads_away(const Directive& rewrite);

/// Where the path of a location that passes requests on leads to: `target` is what proxy_pass has behind its host.
void set_rewrite(const Directive& proxy_pass, const NginxMatch& match, const std::string& target, DraftEntry& route);
/// "rewrite ^/old/(.*)$ /new/$1 break;": true if it was taken over.
bool simple_rewrite(const Directive& rewrite, const NginxMatch& match, DraftEntry& route);

/// What the conditions of a server or a location do to `route`. What cannot be translated and keeps requests out closes
/// the route.
void take_conditions(NginxWork& work, const Directive& level, DraftEntry& route, std::optional<NginxMethods>& methods);

/// Closes a route; says why only once for each place.
void close_once(NginxWork& work, DraftEntry& route, const std::string& protection, const Directive& directive,
                const std::string& what, const std::string& why);

}  // namespace headgate::translate
