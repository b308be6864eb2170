#pragma once
// Signatures with a secret that gateways share (HMAC-SHA256, RFC 2104). Used by gateway and notify.

#include "headgate/identity/sha256.hpp"

#include <string>
#include <string_view>

namespace headgate::identity {

/// Returns the HMAC-SHA256 of `text`. Any thread; about a microsecond.
Sha256 hmac_sha256(std::string_view secret, std::string_view text);

/// Returns whether `a` and `b` are equal, in a time that does not depend on where they differ. Texts of different
/// lengths are not equal.
bool equal_in_constant_time(std::string_view a, std::string_view b) noexcept;

/// Returns the bytes in base64url (RFC 4648 section 5) without padding.
std::string base64url(std::string_view bytes);

}  // namespace headgate::identity
