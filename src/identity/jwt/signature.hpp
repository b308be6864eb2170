#pragma once
// One key with the one algorithm it is for. A token never chooses between them: its `alg` must name a Signature that
// exists.

#include "headgate/core/result.hpp"

#include <memory>
#include <string>
#include <string_view>

namespace headgate::identity {

/// Checks signatures with a key set up once. Immutable after construction; any thread.
class Signature {
 public:
  virtual ~Signature() = default;
  /// Whether `signature` (raw bytes) is this key's over `text`. A signature of the wrong length is refused without a
  /// look at `text`.
  virtual bool matches(std::string_view text, std::string_view signature) const noexcept = 0;
};

/// HMAC-SHA-256 with `secret`. Error text where it is shorter than 32 bytes, or a PEM that belongs elsewhere.
Result<std::unique_ptr<const Signature>, std::string> make_hs256(std::string_view secret);

/// RSASSA-PKCS1-v1_5 with SHA-256, the key as read_rsa_public_key takes it. Error text where it is not one.
Result<std::unique_ptr<const Signature>, std::string> make_rs256(std::string_view pem);

}  // namespace headgate::identity
