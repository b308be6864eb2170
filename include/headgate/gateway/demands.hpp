#pragma once
// The demands of a route on the credential that it requires, beyond being valid. config fills them; the step
// `authenticate` checks them.

#include "headgate/identity/options.hpp"

#include <string>
#include <vector>

namespace headgate::gateway {

/// A value that a claim may have, with its JSON type: the string "5" does not match the number 5.
struct ClaimValue {
  std::string text;      ///< the string; an integer in decimal; "true" or "false"
  bool literal = false;  ///< whether the value is an integer or a boolean in JSON, and not a string
};

/// The values of one claim. The claim must be one of them, or a list of strings that contains one.
struct ClaimDemand {
  std::string name;
  std::vector<ClaimValue> any_of;  ///< the accepted values, at least one
};

/// The demands on a token. Of each list that is not empty, a token needs one value; of `scopes` it needs all. Each
/// claim needs one of its values.
struct TokenDemands {
  std::vector<std::string> issuers;  ///< values of `iss`; empty for any accepted issuer
  /// algorithms of the signature; empty for any that the issuer may use
  std::vector<identity::JwtAlgorithm> algorithms;
  std::vector<std::string> audiences;  ///< values in `aud`; empty for any
  std::vector<std::string> scopes;     ///< scopes that must all be in `scope` or `scp` (RFC 8693 section 4.2)
  std::vector<ClaimDemand> claims;
};

/// The demands on a known API key. A key needs one value of each list that is not empty.
struct KeyDemands {
  std::vector<std::string> owners;
  std::vector<std::string> tiers;
  std::vector<std::string> tags;
};

/// The demands on the one credential that the route requires; the demands on the other kind of credential are empty.
struct Demands {
  TokenDemands token;
  KeyDemands key;
};

}  // namespace headgate::gateway
