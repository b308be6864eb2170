#pragma once
// The options about callers; config fills them.

#include "headgate/core/literals.hpp"
#include "headgate/core/per_enum.hpp"
#include "headgate/core/time.hpp"
#include "headgate/identity/sha256.hpp"

#include <boost/asio/ip/network_v4.hpp>
#include <boost/asio/ip/network_v6.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace headgate::identity {

/// An address block, such as "10.0.0.0/8" or "fd00::/8".
using Network = std::variant<boost::asio::ip::network_v4, boost::asio::ip::network_v6>;

/// The field in which trusted hops write the client's address. There is only one such field, because a hop passes on
/// the other fields as its client sent them.
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
/// The names in `alg` and in the configuration.
inline constexpr WordsOf<JwtAlgorithm> kJwtAlgorithmNames({"HS256", "HS384", "HS512", "RS256", "RS384", "RS512",
                                                           "PS256", "PS384", "PS512", "ES256", "ES384", "ES512",
                                                           "EdDSA"});

/// The source of an issuer's keys; at least one member is set.
struct JwtKeySource {
  std::string secret;  ///< shared secret for HS*; at least as long as the hash (RFC 7518 section 3.2); never logged
  std::string public_key_pem;  ///< public key for RS*, PS*, ES* or EdDSA: the PEM itself (config reads the file)
  std::string jwks_file;       ///< path of a JWK Set (RFC 7517), which is read again when it changes
  std::string jwks_url;        ///< http:// or https://; fetched in the background
  std::string jwks_ca;  ///< path of the PEM file of certificate authorities for https; empty for those of the system
  /// interval between fetches if Cache-Control of the answer sets none
  Duration refresh = std::chrono::minutes(5);
  Duration refetch = std::chrono::seconds(10);       ///< minimum interval between fetches caused by unknown keys
  Duration fetch_timeout = std::chrono::seconds(5);  ///< time limit of one whole fetch
  bool operator==(const JwtKeySource&) const = default;
};

/// An accepted issuer, and the rules for its tokens.
struct JwtIssuer {
  std::string issuer;  ///< required `iss`; empty to accept any, which is only allowed for a single issuer
  /// audiences, of which one must be in `aud` (a string or an array); empty to accept any
  std::vector<std::string> audiences;
  std::vector<JwtAlgorithm> algorithms;             ///< accepted algorithms, at least one
  std::vector<std::string> types{"JWT", "at+jwt"};  ///< accepted `typ`, ignoring case and "application/"
  bool demands_type = false;                        ///< true if a token without any `typ` is refused
  /// difference that is tolerated between clocks, for `exp`, `nbf` and `iat`; at most a day
  Duration leeway = std::chrono::seconds(30);
  std::optional<Duration> max_age;  ///< maximum age since `iat`, which is then required
  JwtKeySource keys;
  bool operator==(const JwtIssuer&) const = default;
};

struct JwtOptions {
  std::vector<JwtIssuer> issuers;  ///< accepted issuers; if there are several, each has its own `issuer`
  /// name of the field that carries the token, in lower case; in authorization only the scheme Bearer counts
  std::string header = "authorization";
  std::string cookie;   ///< name of a cookie; empty if tokens are not accepted there
  std::string query;    ///< name of a query parameter; empty if tokens are not accepted there
  bool pass_on = true;  ///< true if the server gets the token
  /// size of each worker's token cache: maximum number of verified and of refused tokens
  std::size_t remember = 10'000;
  /// Fields for the server, each with the claim that fills it; fields of these names from a caller are removed.
  std::vector<std::pair<std::string, std::string>> claim_headers;
};

/// A part of a client's certificate.
enum class CertificatePart : std::uint8_t { subject, san, sha256 };

/// A fact about the owner of an API key.
enum class KeyPart : std::uint8_t { owner, tier, tags };

/// The rates of one key, which replace those of the limit.
struct RateOverride {
  std::string limit;                   ///< name of the limit
  std::vector<Rate> rates;             ///< rates of the key; empty if unlimited
  std::optional<std::uint64_t> burst;  ///< burst of each rate; absent for the algorithm's default
  bool operator==(const RateOverride&) const = default;
};

/// The groups of a key by name, in the order of the file: {"team", "search"}, {"organisation", "acme"}.
using KeyGroups = std::vector<std::pair<std::string, std::string>>;
inline constexpr std::size_t kMaxGroups = 16;           ///< maximum number of groups of one key
inline constexpr std::size_t kMaxGroupNameBytes = 128;  ///< bytes
inline constexpr std::size_t kMaxGroupBytes = 256;      ///< bytes of a value

/// Returns whether a group can have this name: 1 to 128 printable ASCII characters, no space, quote or backslash.
bool is_group_name(std::string_view name) noexcept;
/// Returns whether a group can have this value: 1 to 256 bytes without control characters.
bool is_group_value(std::string_view value) noexcept;

/// A known API key and its owner. The key itself is not kept.
struct ApiKeyRecord {
  std::string owner;              ///< counters belong to the owner, who may have several keys
  Sha256 digest{};                ///< digest of the key
  std::string tier;               ///< tier of the key; empty for the default tier of the limit
  std::vector<std::string> tags;  ///< words of the operator by which routes select keys
  KeyGroups groups;               ///< what the key belongs to beside its owner; limits can count by each
  std::vector<RateOverride> overrides;
  std::optional<Instant> expires;  ///< the key is valid until just before this time
  bool disabled = false;           ///< true if the key is refused even if it has not expired
  /// time at which the admin interface of a gateway created the key; absent if a person wrote it into the file
  std::optional<Instant> issued;
  std::optional<Instant> revoked;  ///< time at which the key was revoked for good; `disabled` is then set as well
  bool operator==(const ApiKeyRecord&) const = default;

  /// Returns the key's group of this name, such as "search" for "team"; "" if it has none. A view into the record.
  std::string_view group(std::string_view name) const noexcept;
};

/// The places of API keys in requests, and the known keys. If no key is known, every text is a valid key.
struct ApiKeyOptions {
  bool written = false;  ///< true if the configuration has "api_key", so that headgate owns the fields below
  /// names of fields that may carry the key, in lower case; empty if no field may
  std::vector<std::string> headers{"x-api-key"};
  std::string query;     ///< name of a query parameter; empty if keys are not accepted there
  std::string cookie;    ///< name of a cookie; empty if keys are not accepted there
  bool pass_on = false;  ///< true if the server gets the key
  /// Fields for the server, each with a fact about the key's owner, in the order of the configuration; fields of these
  /// names from a caller are removed.
  std::vector<std::pair<std::string, KeyPart>> caller_headers;
  std::string file;  ///< path of a file with more known keys, which is read again when it changes; empty if none
  std::vector<ApiKeyRecord> known;  ///< keys in the configuration itself
  bool issue = false;  ///< true if the admin interface issues and revokes keys, which are written to `file`

  /// Returns whether only known keys are valid.
  bool any_known() const noexcept { return !file.empty() || !known.empty(); }
};

/// The number of failed authentications allowed for one address. A failure whose result is in the token cache costs
/// nothing and is not counted.
struct FailureLimit {
  Rate rate{60, std::chrono::minutes(1)};
  std::uint64_t burst = 60;
  bool operator==(const FailureLimit&) const = default;
};

struct IdentityOptions {
  /// Fields for the server, each with the part of the client's certificate that fills it; fields of these names from a
  /// caller are removed.
  std::vector<std::pair<std::string, CertificatePart>> certificate_headers;
  std::vector<Network> trusted_proxies;  ///< proxies that may report the client's address
  AddressField address_field = AddressField::x_forwarded_for;
  unsigned ipv6_prefix = 64;  ///< prefix length, 1 to 128: all IPv6 addresses with the same prefix count as one client
  ApiKeyOptions api_key;
  std::optional<JwtOptions> jwt;
  std::optional<FailureLimit> failures = FailureLimit{};  ///< limit of failed authentications; absent if unlimited
  /// Paths of the files of addresses that routes use, each once; read again when they change.
  std::vector<std::string> address_files;
  std::string price_file;  ///< prices of language models, read again when the file changes; "" if there is none
  /// Paths of the files of users for basic authentication, each once; read again when they change.
  std::vector<std::string> user_files;
};

}  // namespace headgate::identity
