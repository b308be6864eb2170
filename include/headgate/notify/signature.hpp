#pragma once
// Signs webhooks as the Standard Webhooks specification requires, so that receivers can verify them with its libraries.
// Used by config to read the secrets.

#include "headgate/core/result.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace headgate::notify {

/// Reads a secret in the notation of the specification: "whsec_" and 24 to 64 bytes in base64. Returns the bytes. The
/// error is a sentence without its full stop that says what to write instead; it does not quote the secret. Any thread.
Result<std::string, std::string> read_secret(std::string_view text);

/// Returns the value of `webhook-signature`: for each secret "v1," and the base64 of the HMAC-SHA256 of
/// "id.timestamp.body", separated by spaces. `secrets` are bytes, `timestamp` is in seconds since 1970. "" without
/// secrets. Any thread.
std::string signature(const std::vector<std::string>& secrets, std::string_view id, std::int64_t timestamp,
                      std::string_view body);

}  // namespace headgate::notify
