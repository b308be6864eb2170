#pragma once
// The options of a configuration about callers.

#include "headgate/core/literals.hpp"
#include "headgate/core/per_enum.hpp"
#include "headgate/core/time.hpp"
#include "headgate/identity/sha256.hpp"

#include <boost/asio/ip/network_v4.hpp>
#include <boost/asio/ip/network_v6.hpp>

#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace headgate::identity {

/// An address block, as in "10.0.0.0/8" or "fd00::/8".
using Network = std::variant<boost::asio::ip::network_v4, boost::asio::ip::network_v6>;

/// The field in which trusted hops write the client's address. There is only one, because a hop passes on the other
/// fields as its client sent them.
enum class AddressField { x_forwarded_for, forwarded, x_real_ip };

/// Signature algorithms of tokens (RFC 7518, RFC 8037). The configuration and the key choose them; the `alg` of a token
/// only has to match.
enum class JwtAlgorithm {
  HS256,
  HS384,
  HS512,
  RS256,
  RS384,
  RS512,
  PS256,
  PS384,
  PS512,
  ES256,
  ES384,
  ES512,
  EdDSA,
  count
};
/// As in `alg`, and in the configuration.
inline constexpr WordsOf<JwtAlgorithm> kJwtAlgorithmNames({"HS256", "HS384", "HS512", "RS256", "RS384", "RS512",
                                                           "PS256", "PS384", "PS512", "ES256", "ES384", "ES512",
                                                           "EdDSA"});

/// Where an issuer's keys come from; at least one of these.
struct JwtKeySource {
  std::string secret;          ///< for HS*, at least as long as the hash (RFC 7518 section 3.2); never logged
  std::string public_key_pem;  ///< for RS*, PS*, ES* or EdDSA: the PEM itself (config reads the file)
  std::string jwks_file;       ///< path of a JWK Set (RFC 7517), read again when it changes
  std::string jwks_url;        ///< http:// or https://; fetched in the background
  std::string jwks_ca;  ///< path of the PEM file of certificate authorities for https; empty: those of the system
  Duration refresh = std::chrono::minutes(5);        ///< between fetches, if the answer's Cache-Control gives no time
  Duration refetch = std::chrono::seconds(10);       ///< minimum between two fetches because of unknown keys
  Duration fetch_timeout = std::chrono::seconds(5);  ///< of one whole fetch
  bool operator==(const JwtKeySource&) const = default;
};

/// An accepted issuer, and the rules for its tokens.
struct JwtIssuer {
  std::string issuer;                               ///< required `iss`; empty: any, only for a single issuer
  std::vector<std::string> audiences;               ///< one of them in `aud` (a string or an array); empty: any
  std::vector<JwtAlgorithm> algorithms;             ///< at least one
  std::vector<std::string> types{"JWT", "at+jwt"};  ///< accepted `typ`, ignoring case and "application/"
  bool demands_type = false;                        ///< whether a token without any `typ` is refused
  Duration leeway = std::chrono::seconds(30);  ///< how far clocks may differ for `exp`, `nbf` and `iat`; at most a day
  std::optional<Duration> max_age;             ///< since `iat`, which is then required
  JwtKeySource keys;
  bool operator==(const JwtIssuer&) const = default;
};

struct JwtOptions {
  std::vector<JwtIssuer> issuers;        ///< with more than one, each has its own `issuer`
  std::string header = "authorization";  ///< lower case; authorization: only the scheme Bearer
  std::string cookie;                    ///< empty: not looked for there
  std::string query;                     ///< name of a query parameter; empty: not looked for there
  bool pass_on = true;                   ///< whether the server gets the token
  std::size_t remember = 10'000;  ///< size of each worker's token cache: so many verified and so many refused ones
  /// Fields for the server, each with the claim that fills it; a caller's own fields of these names are removed.
  std::vector<std::pair<std::string, std::string>> claim_headers;
};

/// What a client's certificate says of it.
enum class CertificatePart : std::uint8_t { subject, san, sha256 };

/// What is known of the owner of an API key.
enum class KeyPart : std::uint8_t { owner, tier, tags };

/// A key override: the rates that a key has instead of those of the limit.
struct RateOverride {
  std::string limit;                   ///< name of the limit
  std::vector<Rate> rates;             ///< empty: unlimited
  std::optional<std::uint64_t> burst;  ///< of each rate; else the algorithm's default
  bool operator==(const RateOverride&) const = default;
};

/// A known API key and its owner. The key itself is not kept.
struct ApiKeyRecord {
  std::string owner;              ///< counters belong to the owner, who may have several keys
  Sha256 digest{};                ///< of the key
  std::string tier;               ///< empty: the limit's default
  std::vector<std::string> tags;  ///< words of the operator, by which routes choose keys
  std::vector<RateOverride> overrides;
  std::optional<Instant> expires;  ///< valid until just before
  bool disabled = false;           ///< refused, also if it has not expired
  std::optional<Instant> issued;   ///< when the admin interface of a gateway made it; empty: it was written by hand
  std::optional<Instant> revoked;  ///< when it was taken away for good; then it is disabled as well
  bool operator==(const ApiKeyRecord&) const = default;
};

/// The place of API keys in requests, and the known keys. If no key is known, every text is a valid key.
struct ApiKeyOptions {
  bool written = false;  ///< whether the configuration has "api_key": then headgate owns the fields below
  std::vector<std::string> headers{"x-api-key"};  ///< lower case; each of them may carry it; empty: no field does
  std::string query;                              ///< name of a query parameter; empty: not looked for there
  std::string cookie;                             ///< empty: not looked for there
  bool pass_on = false;                           ///< whether the server gets the key
  /// Fields for the server, each with what is known of the key's owner; a caller's own fields of these names are
  /// removed. In the order of the configuration.
  std::vector<std::pair<std::string, KeyPart>> caller_headers;
  std::string file;                 ///< path of a file with more known keys, read again when it changes; empty: none
  std::vector<ApiKeyRecord> known;  ///< those in the configuration itself
  bool issue = false;  ///< whether the admin interface issues and revokes keys, which are written to `file`

  /// Returns whether only known keys are valid.
  bool any_known() const noexcept { return !file.empty() || !known.empty(); }
};

/// How often one address may fail to authenticate. A failure that the token cache knows costs nothing and is not
/// counted.
struct FailureLimit {
  Rate rate{60, std::chrono::minutes(1)};
  std::uint64_t burst = 60;
  bool operator==(const FailureLimit&) const = default;
};

struct IdentityOptions {
  /// Fields for the server, each with the part of the client's certificate that fills it; a caller's own fields of
  /// these names are removed.
  std::vector<std::pair<std::string, CertificatePart>> certificate_headers;
  std::vector<Network> trusted_proxies;  ///< only these may name the client's address
  AddressField address_field = AddressField::x_forwarded_for;
  unsigned ipv6_prefix = 64;  ///< 1 to 128: all addresses of one such block count as one client
  ApiKeyOptions api_key;
  std::optional<JwtOptions> jwt;
  std::optional<FailureLimit> failures = FailureLimit{};  ///< absent: not limited
  /// Paths of the files of addresses that routes name, each once; read again when they change.
  std::vector<std::string> address_files;
  /// The same of the files of users that basic authentication knows.
  std::vector<std::string> user_files;
};

}  // namespace headgate::identity
