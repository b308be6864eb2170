#pragma once
// A key together with one algorithm. A token cannot choose another combination: its `alg` must match an existing
// Signature.

#include "key_kind.hpp"
#include "openssl.hpp"

#include "headgate/core/result.hpp"
#include "headgate/identity/options.hpp"

#include <memory>
#include <string>
#include <string_view>

namespace headgate::identity {

/// Checks signatures with a key that is set up once. Immutable after construction; any thread.
class Signature {
 public:
  using Made = Result<std::unique_ptr<const Signature>, std::string>;

  virtual ~Signature() = default;
  /// Returns whether this key made `signature` (raw bytes) over `text`. Rejects a wrong length without reading `text`.
  virtual bool matches(std::string_view text, std::string_view signature) const noexcept = 0;
};

/// Creates the check for `algorithm`, one of HS*, with `secret`. Fails only if OpenSSL fails; the caller must make sure
/// that the secret is valid.
Signature::Made make_hmac_signature(JwtAlgorithm algorithm, std::string_view secret);

/// Creates the check for `algorithm` with `key`. `kind` is the kind of the key, and must match the algorithm. Holds a
/// reference to the key. Fails only if OpenSSL fails.
Signature::Made make_public_key_signature(JwtAlgorithm algorithm, EVP_PKEY* key, JwtKeyKind kind);

}  // namespace headgate::identity
