#pragma once
// Translates "if" and "rewrite" of nginx into keys of the routes at their level.

#include "translate/nginx/matches.hpp"
#include "translate/nginx/work.hpp"

#include <optional>
#include <string>
#include <vector>

namespace headgate::translate {

/// The methods that a condition answers differently from all others.
struct NginxMethods {
  std::vector<std::string> methods;
  bool others = false;  ///< whether `methods` are the exceptions, so that all other methods are answered differently
  std::string respond;  ///< answer as JSON
  const Directive* from = nullptr;
  const Directive* block = nullptr;  ///< block that applies to these methods in place of an answer; or null
};

/// Returns the port of "https://$host:8443$request_uri" as a value of "redirect_to_https": "8443" or "true". Returns an
/// empty text for any other URL.
std::string https_port(std::string_view url);

/// Returns whether a `rewrite` sends requests away, so that the server of its location does not receive them.
bool leads_away(const Directive& rewrite);

/// Sets "rewrite" of a location that passes requests on. `target` is the path in proxy_pass.
void set_rewrite(const Directive& proxy_pass, const NginxMatch& match, const std::string& target, DraftEntry& route);
/// Translates "rewrite ^/old/(.*)$ /new/$1 break;". Returns whether that was possible.
bool simple_rewrite(const Directive& rewrite, const NginxMatch& match, DraftEntry& route);

/// Applies the conditions of a server or a location to `route`. Closes the route if a condition keeps requests out and
/// cannot be translated.
void take_conditions(NginxWork& work, const Directive& level, DraftEntry& route, std::optional<NginxMethods>& methods);

/// Closes a route, with one remark for each place.
void close_once(NginxWork& work, DraftEntry& route, const std::string& protection, const Directive& directive,
                const std::string& what, const std::string& why);

}  // namespace headgate::translate
