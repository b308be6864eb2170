#pragma once
// The OCSP response that is sent with a certificate (stapled, RFC 6066 section 8). In the response, the authority
// states whether the certificate is good or revoked. `headgate check` reports a response that cannot be used; the
// listeners send only responses that can be used.

#include "headgate/core/result.hpp"
#include "headgate/core/time.hpp"

#include <string>
#include <string_view>

namespace headgate::net {

/// A response of RFC 6960 that states that a certificate is good or revoked. Empty if there is none.
struct Staple {
  std::string response;  ///< DER
  Instant from{};        ///< thisUpdate
  Instant until{};       ///< nextUpdate, or the end of the certificate that signed it, if that is earlier
  /// whether the certificate is revoked; the response is sent nevertheless, so that clients know
  bool revoked = false;
  /// Returns whether clients accept the response at `now`. A responder's clock may be ahead by five minutes.
  bool fresh(Instant now) const noexcept { return until > now && from <= now + std::chrono::minutes(5); }
  bool operator==(const Staple&) const = default;
};

/// The reason why a response cannot be used.
struct StapleFault {
  std::string why;  ///< reason, a sentence without a full stop that calls the response "it"
  /// whether the next response may be right, because this one is for another certificate or does not mention the
  /// certificate
  bool may_pass = false;
};

/// Reads a response for the first certificate of a PEM chain. The signature is verified if the chain has the issuer.
/// The response need not be fresh. Errors: the response is not in DER, is a refusal by the responder, is for another or
/// an unknown certificate, has no end, or is signed by somebody else. Any thread; reads no file.
Result<Staple, StapleFault> read_staple(std::string_view response, std::string_view chain);

}  // namespace headgate::net
