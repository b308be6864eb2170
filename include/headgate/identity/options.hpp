#pragma once
// What a configuration says of who may be asking.

#include "headgate/core/time.hpp"
#include "headgate/identity/sha256.hpp"

#include <boost/asio/ip/network_v4.hpp>
#include <boost/asio/ip/network_v6.hpp>

#include <string>
#include <variant>
#include <vector>

namespace headgate::identity {

/// An address block, as in "10.0.0.0/8" or "fd00::/8".
using Network = std::variant<boost::asio::ip::network_v4, boost::asio::ip::network_v6>;

/// Signature algorithms a token may use (RFC 7518). The configuration pins them; a token's own `alg` only has to match.
enum class JwtAlgorithm { HS256, RS256 };

struct JwtOptions {
  std::string issuer;    ///< required `iss`; empty: any
  std::string audience;  ///< required in `aud` (string or array); empty: any
  std::vector<JwtAlgorithm> algorithms;
  std::string secret;          ///< for HS256, at least 32 bytes (RFC 7518 section 3.2); never logged
  std::string public_key_pem;  ///< for RS256, RSA of at least 2048 bits, the PEM itself (config reads the file)
  Duration leeway = std::chrono::seconds(30);  ///< how far clocks may differ for `exp` and `nbf`
};

/// A known API key: whose it is. The key itself is not kept.
struct ApiKeyRecord {
  std::string name;  ///< as an operator calls its owner
  Sha256 digest;     ///< of the key
  std::string tier;  ///< empty: the limit's default
};

struct Options {
  std::vector<Network> trusted_proxies;      ///< only these may tell the client's address
  unsigned ipv6_prefix = 64;                 ///< 1 to 128: all addresses of one such block count as one client
  std::string api_key_header = "x-api-key";  ///< lower case
  std::vector<ApiKeyRecord> api_keys;        ///< the known ones; others are keys too, but nobody's
  bool has_jwt = false;
  JwtOptions jwt;
};

}  // namespace headgate::identity
