#pragma once
// Who may use a location of nginx.

#include "translate/nginx/work.hpp"

namespace headgate::translate {

/// Puts what protects a location into its route: addresses, passwords, an auth service, certificates. What cannot be
/// translated closes the route.
void protect(NginxWork& work, const Directive& server, const NginxScope& scope, DraftEntry& route);

/// Whether all that listens for a server is on this machine alone.
bool only_this_machine(const Directive& server);

}  // namespace headgate::translate
