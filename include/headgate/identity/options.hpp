#pragma once
// What a configuration says of who may be asking.

#include "headgate/core/literals.hpp"
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

/// Which field trusted hops tell the client's address in. One only: a hop that writes another one passes on whatever
/// its client put into this.
enum class AddressField { x_forwarded_for, forwarded, x_real_ip };

/// Signature algorithms a token may use (RFC 7518, RFC 8037). The configuration and the key pin them; a token's own
/// `alg` only has to match.
enum class JwtAlgorithm { HS256, HS384, HS512, RS256, RS384, RS512, PS256, PS384, PS512, ES256, ES384, ES512, EdDSA };

/// Where an issuer's keys come from: any of these, and at least one.
struct JwtKeySource {
  std::string secret;          ///< for HS*, at least as long as the hash (RFC 7518 section 3.2); never logged
  std::string public_key_pem;  ///< for RS*, PS*, ES* or EdDSA: the PEM itself (config reads the file)
  std::string jwks_file;       ///< path of a JWK Set (RFC 7517), read again when it changes
  std::string jwks_url;        ///< http:// or https://; fetched in the background
  std::string jwks_ca;         ///< path of the PEM authorities for https; empty: the system's
  Duration refresh = std::chrono::minutes(5);        ///< between fetches, where the answer's Cache-Control says nothing
  Duration refetch = std::chrono::seconds(10);       ///< least between two fetches because of unknown keys
  Duration fetch_timeout = std::chrono::seconds(5);  ///< of one whole fetch
  bool operator==(const JwtKeySource&) const = default;
};

/// Whose tokens are believed, and what they must say.
struct JwtIssuer {
  std::string issuer;                               ///< required `iss`; empty: any, where it is the only one
  std::vector<std::string> audiences;               ///< one of them in `aud` (a string or an array); empty: any
  std::vector<JwtAlgorithm> algorithms;             ///< at least one
  std::vector<std::string> types{"JWT", "at+jwt"};  ///< `typ` accepted, without case and "application/"
  bool demands_type = false;                        ///< whether a token without any `typ` is refused
  Duration leeway = std::chrono::seconds(30);       ///< how far clocks may differ for `exp`, `nbf` and `iat`; to a day
  std::optional<Duration> max_age;                  ///< since `iat`, which must then be there
  JwtKeySource keys;
  bool operator==(const JwtIssuer&) const = default;
};

struct JwtOptions {
  std::vector<JwtIssuer> issuers;        ///< with more than one, each has its own `issuer`
  std::string header = "authorization";  ///< lower case; of this one only the scheme Bearer, of another the whole value
  std::string cookie;                    ///< empty: not looked for there
  std::string query;                     ///< name of a query parameter; empty: not looked for there
  bool pass_on = true;                   ///< whether the server behind sees the token
  std::size_t remember = 10'000;         ///< verified tokens each worker remembers; as many refused ones
  /// Fields for the server behind, each with the claim it is filled from; a caller's own are removed.
  std::vector<std::pair<std::string, std::string>> claim_headers;
};

/// A rate that a key has instead of its limit's own.
struct RateOverride {
  std::string limit;                   ///< name of the limit
  std::vector<Rate> rates;             ///< empty: unlimited
  std::optional<std::uint64_t> burst;  ///< of each rate; else the algorithm's usual one
  bool operator==(const RateOverride&) const = default;
};

/// A known API key: whose it is. The key itself is not kept.
struct ApiKeyRecord {
  std::string owner;  ///< who is counted; may have several keys
  Sha256 digest{};    ///< of the key
  std::string tier;   ///< empty: the limit's default
  std::vector<RateOverride> overrides;
  std::optional<Instant> expires;  ///< good until just before
  bool disabled = false;
  bool operator==(const ApiKeyRecord&) const = default;
};

/// Where an API key stands, and whose keys are known. Without any known key every text is a key of its own.
struct ApiKeyOptions {
  bool written = false;              ///< whether the configuration speaks of API keys: then they are headgate's own
  std::string header = "x-api-key";  ///< lower case; empty: not looked for there
  std::string query;                 ///< name of a query parameter; empty: not looked for there
  std::string cookie;                ///< empty: not looked for there
  bool pass_on = false;              ///< whether the server behind sees the key
  std::string file;                  ///< path of more known keys, read again when it changes; empty: none
  std::vector<ApiKeyRecord> known;   ///< those in the configuration itself

  /// Whether only known keys are keys.
  bool any_known() const noexcept { return !file.empty() || !known.empty(); }
};

/// How often one address may fail to prove who it is. What was refused and is remembered costs nothing and is not
/// counted.
struct FailureLimit {
  Rate rate{60, std::chrono::minutes(1)};
  std::uint64_t burst = 60;
  bool operator==(const FailureLimit&) const = default;
};

struct Options {
  std::vector<Network> trusted_proxies;  ///< only these may tell the client's address
  AddressField address_field = AddressField::x_forwarded_for;
  unsigned ipv6_prefix = 64;  ///< 1 to 128: all addresses of one such block count as one client
  ApiKeyOptions api_key;
  std::optional<JwtOptions> jwt;
  std::optional<FailureLimit> failures = FailureLimit{};  ///< nothing: not limited
};

}  // namespace headgate::identity
