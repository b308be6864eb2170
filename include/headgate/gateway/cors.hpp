#pragma once
// Cross-origin requests (CORS, Fetch Standard): which pages of other origins may use a route from a browser. config
// fills it; answers get its fields.

#include <memory>
#include <string>
#include <vector>

namespace headgate::gateway {

/// All origins below a host: "https://*.example.com" is "https://" and ".example.com".
struct OriginsBelow {
  std::string begin;
  std::string end;
};

/// What pages of other origins may do. Values of fields are as they are sent.
struct Cors {
  bool any = false;                  ///< every origin; then there are no credentials
  std::vector<std::string> origins;  ///< as http::normalise_origin writes them, or "null"
  std::vector<OriginsBelow> below;
  std::string methods;      ///< Access-Control-Allow-Methods; empty: those that the routes of the path have
  std::string headers;      ///< Access-Control-Allow-Headers; empty: none
  bool any_header = false;  ///< a page may send all that it asks for
  std::string expose;       ///< Access-Control-Expose-Headers
  bool credentials = false;
  std::string max_age;  ///< Access-Control-Max-Age: how long a browser remembers a preflight, in seconds
};

/// The fields that a page may always read: what tells a caller its limits, what it must prove, and what
/// names its request.
inline constexpr const char* kAlwaysExposed =
    "Retry-After, Retry-After-Ms, X-Should-Retry, RateLimit, RateLimit-Policy, X-RateLimit-Limit, "
    "X-RateLimit-Remaining, X-RateLimit-Reset, X-Request-Id, WWW-Authenticate, Appointment, Waiting-Room-Ticket";

/// What a page may send beside the fields that it always may, where the configuration does not say.
inline constexpr const char* kUsualHeaders = "Authorization, Content-Type";

using CorsPtr = std::shared_ptr<const Cors>;

}  // namespace headgate::gateway
