#pragma once
// Translates access control of nginx's locations.

#include "translate/nginx/work.hpp"

namespace headgate::translate {

/// Writes the protection of a location into its route: addresses, passwords, auth service, certificates. Closes the
/// route if one of them cannot be translated.
void protect(NginxWork& work, const Directive& server, const NginxScope& scope, DraftEntry& route);

/// Returns whether the server listens only on loopback addresses.
bool only_this_machine(const Directive& server);

}  // namespace headgate::translate
