#pragma once
// One key under one algorithm. A token never chooses between them: its `alg` must name a Signature that exists.

#include "key_kind.hpp"
#include "openssl.hpp"

#include "headgate/core/result.hpp"
#include "headgate/identity/options.hpp"

#include <memory>
#include <string>
#include <string_view>

namespace headgate::identity {

/// Checks signatures with a key set up once. Immutable after construction; any thread.
class Signature {
 public:
  using Made = Result<std::unique_ptr<const Signature>, std::string>;

  virtual ~Signature() = default;
  /// Whether `signature` (raw bytes) is this key's over `text`. A signature of the wrong length is refused without a
  /// look at `text`.
  virtual bool matches(std::string_view text, std::string_view signature) const noexcept = 0;
};

/// `algorithm`, which is one of HS*, with `secret`. An error only where OpenSSL fails: that the secret is a good one is
/// the caller's to know.
Signature::Made make_hmac_signature(JwtAlgorithm algorithm, std::string_view secret);

/// `algorithm` with `key`, which is of `kind`, which is for it; holds a reference to the key. An error only where
/// OpenSSL fails.
Signature::Made make_public_key_signature(JwtAlgorithm algorithm, EVP_PKEY* key, KeyKind kind);

}  // namespace headgate::identity
