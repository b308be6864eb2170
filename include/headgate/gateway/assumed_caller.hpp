#pragma once
// The caller of a request that carries no credentials to verify, because it comes from an access log or a test.

#include "headgate/identity/options.hpp"

#include <string_view>

namespace headgate::gateway {

/// Replaces the credentials of a request. Only a gateway that was made for it (Services::assumes) uses this.
struct AssumedCaller {
  /// The payload of a token, a JSON object, whose signature is not verified. Empty to use the token of the request.
  /// Lives as long as the exchange.
  std::string_view claims{};
  /// The record of an API key; null to use the key of the request. The key need not be a known one. Lives as long as
  /// the gateway.
  const identity::ApiKeyRecord* key = nullptr;
  /// The user of basic authentication, whose password is not verified; empty to use the one of the request. The user
  /// need not be a known one. Lives as long as the exchange.
  std::string_view user{};
};

}  // namespace headgate::gateway
