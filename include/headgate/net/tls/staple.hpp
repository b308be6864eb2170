#pragma once
// The OCSP response that is sent with a certificate (stapled, RFC 6066 section 8): what its authority says of it.
// `headgate check` reports one that cannot be used, and the listeners send the others.

#include "headgate/core/result.hpp"
#include "headgate/core/time.hpp"

#include <string>
#include <string_view>

namespace headgate::net {

/// A response of RFC 6960 that says of one certificate that it is good or revoked. Empty: there is none.
struct Staple {
  std::string response;  ///< DER
  Instant from{};        ///< thisUpdate
  Instant until{};       ///< nextUpdate, or the end of the certificate that signed it, if that is earlier
  bool revoked = false;  ///< it is sent all the same: clients are to know
  /// Whether clients accept it at `now`. A responder's clock may be ahead by five minutes.
  bool fresh(Instant now) const noexcept { return until > now && from <= now + std::chrono::minutes(5); }
  bool operator==(const Staple&) const = default;
};

/// Why a response cannot be used.
struct StapleFault {
  std::string why;        ///< a sentence without its dot, about the response as "it"
  bool may_pass = false;  ///< the next response may be right: this one is of another certificate, or says nothing of it
};

/// Reads a response for the first certificate of a chain in PEM. Its signature is verified if the chain has the issuer.
/// It need not be fresh. Errors: no response in DER, a refusal of the responder, another certificate, an unknown one,
/// no end, a signature of somebody else. Any thread; reads no file.
Result<Staple, StapleFault> read_staple(std::string_view response, std::string_view chain);

}  // namespace headgate::net
