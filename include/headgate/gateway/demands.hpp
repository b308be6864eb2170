#pragma once
// What a route demands of the credential that it requires, beyond being valid. config fills it; the step `authenticate`
// checks it.

#include "headgate/identity/options.hpp"

#include <string>
#include <vector>

namespace headgate::gateway {

/// A value that a claim may have, with its JSON type: "5" is no 5.
struct ClaimValue {
  std::string text;      ///< the string; an integer in decimal; "true" or "false"
  bool literal = false;  ///< whether it is an integer or true/false in JSON; else a string
};

/// A claim that must have one of these values, or be a list of strings that has one of them in it.
struct ClaimDemand {
  std::string name;
  std::vector<ClaimValue> any_of;  ///< at least one
};

/// What a token must have. Of each list that is not empty one value is enough, except for the scopes: all of them are
/// needed, and one value of each claim.
struct TokenDemands {
  std::vector<std::string> issuers;                ///< its `iss`; empty: any accepted issuer
  std::vector<identity::JwtAlgorithm> algorithms;  ///< of its signature; empty: any that its issuer may use
  std::vector<std::string> audiences;              ///< in its `aud`; empty: any
  std::vector<std::string> scopes;                 ///< in `scope` or `scp` (RFC 8693 section 4.2)
  std::vector<ClaimDemand> claims;
};

/// What a known API key must have. Of each list that is not empty one value is enough.
struct KeyDemands {
  std::vector<std::string> owners;
  std::vector<std::string> tiers;
  std::vector<std::string> tags;
};

/// The demands on the one credential that the route requires; those on the other kind are empty.
struct Demands {
  TokenDemands token;
  KeyDemands key;
};

}  // namespace headgate::gateway
