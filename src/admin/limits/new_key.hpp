#pragma once
// What a caller of the admin interface wants of a new API key.

#include "headgate/admin/admin_endpoints.hpp"
#include "headgate/core/result.hpp"
#include "headgate/identity/options.hpp"
#include "headgate/services/active_config.hpp"

#include <string>

namespace headgate::admin {

struct NewKey {
  identity::ApiKeyRecord record;
  std::string key{};  ///< a new one; empty: the caller has it, and sent its SHA-256
};

/// Reads {"owner": "acme", "tier": "pro", "tags": ["batch"], "expires": "2027-12-31", "limits": {…}}, each as in a key
/// file, with "prefix" of the key, or "sha256" of a key that the caller has made. Only "owner" is required. The error
/// is the answer, also if the active configuration would not make of the key what is written. Any thread.
Result<NewKey, AdminAnswer> read_new_key(const std::string& body, const services::ActiveConfig& active, Instant now);

inline constexpr const char* kKeyIdForm =
    "The id of a key is 16 hexadecimal digits in lower case, as GET /api/v1/keys lists it.";

}  // namespace headgate::admin
