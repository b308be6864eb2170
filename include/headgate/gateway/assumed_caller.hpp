#pragma once
// The caller of a request that carries no credentials to verify, because it comes from an access log or a test.

#include "headgate/identity/options.hpp"

#include <string_view>

namespace headgate::gateway {

/// Replaces the credentials of a request. Used only by a gateway with Services::assumes.
struct AssumedCaller {
  /// The payload of a token, as a JSON object. No signature is verified. Empty to use the token of the request. Lives
  /// as long as the exchange.
  std::string_view claims{};
  /// The record of an API key; null to use the key of the request. The key need not be known. Lives as long as the
  /// gateway.
  const identity::ApiKeyRecord* key = nullptr;
  /// The user of basic authentication. No password is verified, and the user need not be known. Empty to use the user
  /// that the request names. Lives as long as the exchange.
  std::string_view user{};
};

}  // namespace headgate::gateway
