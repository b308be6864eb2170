#pragma once
// What a configuration says of the request's path: routes, bounds, timeouts and how a rejection looks.

#include "headgate/core/time.hpp"
#include "headgate/identity/options.hpp"

#include <chrono>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace headgate::gateway {

/// How many requests one request counts as.
struct Cost {
  enum class From {
    constant,
    method,          ///< by the request's method
    request_header,  ///< what a header of the request says
    response_header  ///< `usual` is held before the request, and settled to what a header of the answer says
  };
  From from = From::constant;
  std::int64_t default_value = 1;  ///< at least 1: the constant; else what counts where nothing else is said
  std::vector<std::pair<std::string, std::int64_t>> methods;  ///< upper case; each cost at least 0
  std::string header;                                         ///< lower case
  std::int64_t most = 0;  ///< a header's greatest believable value; what is beyond counts as this
  bool debt = false;      ///< response_header: what there is not is owed, and worked off; else it is given away
};

/// A limit as a route uses it.
struct LimitUse {
  std::string limit;  ///< name of a limit
  Cost cost;
  std::uint32_t scale_up = 1;    ///< the route has a limit of its own, scale_up / scale_down times the size: "1/10"
  std::uint32_t scale_down = 1;  ///< both at least 1; equal: not scaled, and counted together with other routes
};

/// Whom a limit does not apply to.
struct Exemption {
  std::string limit;
  std::vector<identity::Network> addresses;
  std::vector<std::string> api_keys;  ///< owners of known keys
};

/// An answer given without an upstream.
struct Respond {
  unsigned status = 200;  ///< 200 to 599
  std::string body;
  std::string content_type = "text/plain; charset=utf-8";
};

/// What a caller must prove on a route. mtls: a client certificate that a trusted hop verified (PROXY protocol).
enum class Require { nothing, jwt, api_key, mtls };

/// What a key is taken for that is not, or no longer, a known one; where keys are known at all.
enum class UnknownKey { anonymous, reject };

/// What becomes of a path in which some servers would read more slashes: "%2F", "%5C", however often encoded.
enum class EncodedSlash {
  reject,
  keep  ///< part of its segment, and passed on as it is
};

struct RouteOptions {
  std::string name;  ///< the path where none is given
  std::string host;  ///< lower case, without port; empty: any; "*.example.com": any one or more labels before it
  std::string path;  ///< "/exact", "/prefix/*", "/accounts/{account}/charges"
  std::optional<bool> ignore_case;  ///< of the path's letters; else all_routes'
  EncodedSlash encoded_slash = EncodedSlash::reject;
  std::vector<std::string> methods;  ///< upper case; empty: all
  std::string to;                    ///< an upstream's name; empty where `respond` is given
  std::optional<Respond> respond;
  std::vector<LimitUse> limits;          ///< the route's own; all_routes' come before them
  std::vector<std::string> skip_limits;  ///< names of all_routes' limits that do not apply here
  Require require = Require::nothing;
  std::optional<UnknownKey> unknown_key;  ///< else all_routes'
  std::optional<Duration> timeout;        ///< until the first byte of the answer; else all_routes'
  std::optional<Duration> between_bytes;  ///< no byte of the answer's body for this long; else all_routes'
  std::optional<std::uint64_t> max_body;  ///< bytes; else all_routes'
};

struct AllRoutes {
  bool ignore_case = false;
  std::vector<LimitUse> limits;
  UnknownKey unknown_key = UnknownKey::anonymous;
  Duration timeout = std::chrono::seconds(30);
  Duration between_bytes = std::chrono::seconds(60);
  std::uint64_t max_body = 1 << 20;
};

/// One per phase; none of them spans the whole request.
struct Timeouts {
  Duration idle = std::chrono::seconds(60);    ///< a kept-alive client connection without a request
  Duration head = std::chrono::seconds(10);    ///< first byte of a request to the end of its head
  Duration body = std::chrono::seconds(10);    ///< no byte of a request's body for this long
  Duration write = std::chrono::seconds(10);   ///< the peer takes no byte for this long
  Duration tunnel = std::chrono::minutes(10);  ///< an upgraded connection without a byte in either direction
  bool operator==(const Timeouts&) const = default;
};

struct Bounds {
  std::uint32_t head_bytes = 16 * 1024;  ///< request line and fields; at most 60 KiB; 431 (414 for the target) beyond
  std::uint32_t head_fields = 100;
  std::uint32_t target_bytes = 8 * 1024;
  std::uint32_t connections = 10'000;  ///< of clients, over all workers; beyond it a new one is answered 503 and closed
  bool operator==(const Bounds&) const = default;
};

enum class RejectionHeaders { both, standard, legacy, none };
enum class RejectionBody { problem, none };

struct Rejection {
  RejectionHeaders headers = RejectionHeaders::both;
  RejectionBody body = RejectionBody::problem;
};

/// What only a hop in front may say of a request: where it came in, from whom, and which path it had there. Servers
/// believe it, so anybody could say it ("Proxy" becomes the variable HTTP_PROXY).
inline constexpr std::string_view kProxyFields[] = {
    "X-Forwarded-*",      "X-Original-URL",       "X-Original-URI",      "X-Original-Host", "X-Original-Forwarded-For",
    "X-Rewrite-URL",      "X-HTTP-Host-Override", "X-Url-Scheme",        "X-Script-Name",   "Script-Name",
    "Path-Info",          "X-Client-IP",          "X-Cluster-Client-IP", "True-Client-IP",  "CF-Connecting-IP",
    "CF-Connecting-IPv6", "Fastly-Client-IP",     "Fly-Client-IP",       "X-Envoy-*",       "X-SSL-*",
    "SSL-Client-*",       "Front-End-Https",      "Remote-User",         "X-Remote-User",   "Proxy"};

struct Options {
  std::vector<RouteOptions> routes;
  std::vector<Exemption> exemptions;
  AllRoutes all_routes;
  Timeouts timeouts;
  Bounds bounds;
  Rejection rejection;
  /// Fields that pass from trusted hops only; a name that ends in '*' stands for all that begin so.
  std::vector<std::string> proxy_fields{std::begin(kProxyFields), std::end(kProxyFields)};
  std::string via = "headgate";  ///< what this gateway is called in Via; empty: it adds none
};

}  // namespace headgate::gateway
