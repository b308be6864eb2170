#pragma once
// What a configuration says of the request's path: routes, bounds, timeouts and how a rejection looks.

#include "headgate/core/time.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace headgate::gateway {

/// A limit as a route uses it.
struct LimitUse {
  std::string limit;      ///< name of a limit
  std::int64_t cost = 1;  ///< how many requests one request counts as, at least 1
};

/// An answer given without an upstream.
struct Respond {
  unsigned status = 200;  ///< 200 to 599
  std::string body;
  std::string content_type = "text/plain; charset=utf-8";
};

enum class Require { nothing, jwt, api_key };

struct RouteOptions {
  std::string name;  ///< the path where none is given
  std::string host;  ///< lower case, without port; empty: any; "*.example.com": any one or more labels before it
  std::string path;  ///< "/exact", "/prefix/*", "/accounts/{account}/charges"
  std::vector<std::string> methods;  ///< upper case; empty: all
  std::string to;                    ///< an upstream's name; empty where `respond` is given
  std::optional<Respond> respond;
  std::vector<LimitUse> limits;          ///< the route's own; all_routes' come before them
  std::vector<std::string> skip_limits;  ///< names of all_routes' limits that do not apply here
  Require require = Require::nothing;
  std::optional<Duration> timeout;        ///< until the first byte of the answer; else all_routes'
  std::optional<std::uint64_t> max_body;  ///< bytes; else all_routes'
};

struct AllRoutes {
  std::vector<LimitUse> limits;
  Duration timeout = std::chrono::seconds(30);
  std::uint64_t max_body = 1 << 20;
};

/// One per phase; none of them spans the whole request.
struct Timeouts {
  Duration idle = std::chrono::seconds(60);    ///< a kept-alive client connection without a request
  Duration head = std::chrono::seconds(10);    ///< first byte of a request to the end of its head
  Duration body = std::chrono::seconds(10);    ///< no byte of a body (either direction) for this long
  Duration write = std::chrono::seconds(10);   ///< the peer takes no byte for this long
  Duration tunnel = std::chrono::minutes(10);  ///< an upgraded connection without a byte in either direction
};

struct Bounds {
  std::uint32_t head_bytes = 16 * 1024;  ///< request line and fields; at most 60 KiB; 431 (414 for the target) beyond
  std::uint32_t head_fields = 100;
  std::uint32_t target_bytes = 8 * 1024;
  std::uint32_t connections = 10'000;  ///< of clients, over all workers; beyond it a new one is answered 503 and closed
};

enum class RejectionHeaders { both, standard, legacy, none };
enum class RejectionBody { problem, none };

struct Rejection {
  RejectionHeaders headers = RejectionHeaders::both;
  RejectionBody body = RejectionBody::problem;
};

struct Options {
  std::vector<RouteOptions> routes;
  AllRoutes all_routes;
  Timeouts timeouts;
  Bounds bounds;
  Rejection rejection;
};

}  // namespace headgate::gateway
