#pragma once
// A refused head as an operator may see it: as received, without the secrets of the caller.

#include "headgate/gateway/refused_requests.hpp"
#include "headgate/identity/options.hpp"

#include <cstddef>
#include <optional>
#include <string_view>

namespace headgate::gateway {

/// Sets head, cut, byte and the text around the fault. `bytes` begin with the head, which may be malformed or
/// incomplete.
///
/// These are secrets: values of fields and parameters whose names the configuration uses for keys and tokens, or whose
/// names contain a word like "auth", "cookie", "key" or "token"; a user in a URL; a first word that is not a method;
/// lines that are not fields; and the text after "Bearer" or "Basic". The time is linear in the number of bytes up to 4
/// kHead
/// after the fault.
void show_refused_head(std::string_view bytes, std::optional<std::size_t> fault,
                       const identity::IdentityOptions& identity, RefusedRequest& out);

}  // namespace headgate::gateway
