#pragma once
// Cross-origin requests (CORS, Fetch Standard): which pages of other origins may use a route from a browser. config
// fills the options; answers get the fields.

#include <memory>
#include <string>
#include <vector>

namespace headgate::gateway {

/// All origins below a host: "https://*.example.com" is "https://" and ".example.com".
struct OriginsBelow {
  std::string begin;
  std::string end;
};

/// The rights of pages of other origins. Values of fields are stored as they are sent.
struct Cors {
  bool any = false;                  ///< whether every origin is allowed, which excludes credentials
  std::vector<std::string> origins;  ///< origins as http::normalise_origin writes them, or "null"
  std::vector<OriginsBelow> below;
  std::string methods;      ///< Access-Control-Allow-Methods; empty for the methods of the path's routes
  std::string headers;      ///< Access-Control-Allow-Headers; empty if there are none
  bool any_header = false;  ///< whether a page may send every field that it asks for
  std::string expose;       ///< Access-Control-Expose-Headers
  bool credentials = false;
  std::string max_age;  ///< Access-Control-Max-Age: how long a browser remembers a preflight, in seconds
};

/// The fields that a page may always read: the limits of the caller, challenges for credentials, and the id of the
/// request.
inline constexpr const char* kAlwaysExposed =
    "Retry-After, Retry-After-Ms, X-Should-Retry, RateLimit, RateLimit-Policy, X-RateLimit-Limit, "
    "X-RateLimit-Remaining, X-RateLimit-Reset, X-Request-Id, WWW-Authenticate, Appointment, Waiting-Room-Ticket";

/// The fields that a page may send if the configuration names none, in addition to the fields that browsers always
/// allow.
inline constexpr const char* kUsualHeaders = "Authorization, Content-Type";

using CorsPtr = std::shared_ptr<const Cors>;

}  // namespace headgate::gateway
