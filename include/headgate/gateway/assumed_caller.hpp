#pragma once
// What is known of a caller without a credential that proves it: from a log, or from a test.

#include "headgate/identity/options.hpp"

#include <string_view>

namespace headgate::gateway {

/// Taken in place of the credentials of a request by a gateway that was made to (Services::assumes), and by no other.
struct AssumedCaller {
  /// The payload of a token whose signature is not asked for, a JSON object; empty: the token that the request shows
  /// counts. Lives as long as the exchange.
  std::string_view claims{};
  /// The record of the key; null: the key that the request shows counts. It need not be one of the known ones, and
  /// lives as long as the gateway.
  const identity::ApiKeyRecord* key = nullptr;
  /// The user of basic authentication, whose password is not asked for; empty: what the request shows counts. Need not
  /// be a known one, and lives as long as the exchange.
  std::string_view user{};
};

}  // namespace headgate::gateway
