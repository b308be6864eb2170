#pragma once
// A refused head as an operator may see it: as it came, without the secrets of its caller.

#include "headgate/gateway/refused_requests.hpp"
#include "headgate/identity/options.hpp"

#include <cstddef>
#include <optional>
#include <string_view>

namespace headgate::gateway {

/// Sets head, cut, byte and what stands around it. `bytes` begin with the head, which may be malformed or not whole.
///
/// Secret are values of fields and of parameters whose names are those of the configuration for keys and tokens, or
/// have a word like "auth", "cookie", "key" or "token" in them; a user in an address; a first word that is no method;
/// lines that are no field; and what follows "Bearer" or "Basic". Linear in the bytes up to 4 kHead behind the fault.
void show_refused_head(std::string_view bytes, std::optional<std::size_t> fault,
                       const identity::IdentityOptions& identity, RefusedRequest& out);

}  // namespace headgate::gateway
