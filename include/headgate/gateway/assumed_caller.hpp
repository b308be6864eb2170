#pragma once
// The caller and the cost of a request that carries neither credentials to verify nor bodies to read, because it comes
// from an access log or a test.

#include "headgate/identity/options.hpp"

#include <cstdint>
#include <optional>
#include <string_view>

namespace headgate::gateway {

/// The units that a limit charged for a request, as its log says.
struct AssumedCost {
  std::string_view limit{};  ///< name of the limit; empty if the log names none. Lives as long as the exchange.
  std::optional<std::int64_t> cost{};  ///< the cost at the end of the answer; empty if it is not known
  std::optional<std::int64_t> held{};  ///< the units taken before the answer; empty if they are not known
};

/// See gateway/descriptors/rate_limit_call.hpp.
struct AssumedCall;

/// Replaces the credentials of a request, and what its bodies say. Used only by a gateway with Services::assumes.
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
  AssumedCost cost{};
  /// The call of the rate limit service, which replaces the message of the request; null to read the message. Gets the
  /// answer of the call. Lives as long as the exchange.
  AssumedCall* call = nullptr;
  /// Whether the bodies of the request and its answer are not known. No limit then reads them.
  bool hides_bodies = false;
};

}  // namespace headgate::gateway
