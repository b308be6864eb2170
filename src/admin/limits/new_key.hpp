#pragma once
// Reads the request for a new API key.

#include "headgate/admin/admin_endpoints.hpp"
#include "headgate/core/result.hpp"
#include "headgate/identity/options.hpp"
#include "headgate/services/active_config.hpp"

#include <string>

namespace headgate::admin {

struct NewKey {
  identity::ApiKeyRecord record;
  std::string key{};  ///< The key that was generated; empty if the caller made the key and sent only its SHA-256.
};

/// Reads {"owner": "acme", "tier": "pro", "tags": ["batch"], "groups": {"team": "search"}, "expires": "2027-12-31",
/// "limits": {…}}, each as in a key file, with the "prefix" of the key, or the "sha256" of a key that the caller has
/// made. Only "owner" is required. The error is the answer to the caller. A member that the active configuration would
/// not apply is an error too. Any thread.
Result<NewKey, AdminAnswer> read_new_key(const std::string& body, const services::ActiveConfig& active, Instant now);

inline constexpr const char* kKeyIdForm =
    "The id of a key is 16 hexadecimal digits in lower case, as GET /api/v1/keys lists it.";

}  // namespace headgate::admin
