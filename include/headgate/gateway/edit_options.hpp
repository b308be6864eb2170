#pragma once
// The changes of a route to the messages that pass through it, as the configuration has them: paths, fields, the name
// of the server. config fills the options. The path uses RouteEdits, which is compiled from them.

#include "headgate/http/fields.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace headgate::gateway {

/// A piece of a text: a literal, or a variable that stands for a value of the request.
struct TextPart {
  enum class Kind : std::uint8_t {
    literal,
    client_ip,
    request_id,
    route,
    host,       ///< the normalised host
    claim,      ///< a claim of the verified token
    auth,       ///< a field of the auth service's answer
    user,       ///< the user whose password was verified
    key_owner,  ///< the owner of the known API key
    key_tier,
    key_tags,
    path  ///< a parameter of the route's path
  };
  Kind kind = Kind::literal;
  std::string text;  ///< the literal, or the name of the claim, field or parameter
  /// number of the segment in the route's path, for `path`; set when the route is compiled
  std::size_t segment = 0;
  bool operator==(const TextPart&) const = default;
};
using TextTemplate = std::vector<TextPart>;

/// The variables, as a configuration has them between "${" and "}".
inline constexpr std::string_view kVariables[] = {"client_ip",    "request_id",   "route",           "host",
                                                  "jwt.<claim>",  "auth.<field>", "basic.user",      "api_key.owner",
                                                  "api_key.tier", "api_key.tags", "path.<parameter>"};
/// Reads the name of a variable: "client_ip", "jwt.sub", "path.id". Returns nothing if there is no such variable.
std::optional<TextPart> read_variable(std::string_view name);

/// One change of the fields of a head. A field whose value is empty for a request is not sent.
struct FieldEdit {
  enum class How : std::uint8_t {
    set,  ///< the edit replaces all fields with this name
    add,  ///< the edit adds a field and keeps those with the same name
    remove,
    add_each  ///< the edit adds a field for each line of a field of the auth service's answer
  };
  How how = How::set;
  std::string name;
  TextTemplate value{};
  http::Known id = http::Known::unknown;  ///< the id of the name; set when the route is compiled
};

/// The direction of the message whose fields are changed.
enum class Towards : std::uint8_t { server, client };
/// Returns the reason why no route may change this field, as a sentence without its full stop; "" if routes may change
/// it. Names are compared with same_variable().
std::string_view why_fixed(std::string_view name, Towards towards) noexcept;

/// How the server's path is made from the client's path: either with `strip_prefix` and `add_prefix`, or with `path`.
struct Rewrite {
  /// literal segments to remove from the beginning of the path, "/api"; empty if there are none
  std::string strip_prefix;
  std::string add_prefix;  ///< text to put before the rest, "/v2"; empty if there is none
  std::string path;        ///< "/users/{id}/*", with parameters and "*" as in the route's path; empty if it is not used
  bool empty() const noexcept { return strip_prefix.empty() && add_prefix.empty() && path.empty(); }
};

/// An answer that redirects the client.
struct RouteRedirect {
  std::string to;         ///< "/new/*" or "https://host/new/{id}?query"
  unsigned status = 308;  ///< 301, 302, 303, 307 or 308
};

/// The value of Host in requests to the server.
struct HostHeader {
  enum class Is : std::uint8_t { as_received, server, fixed };
  Is is = Is::as_received;
  std::string text;  ///< the fixed host, with a port if it is not the default one; only for `fixed`
};

/// All changes of one route, or of all routes.
struct EditOptions {
  Rewrite rewrite;
  std::vector<FieldEdit> request_fields;
  std::vector<FieldEdit> response_fields;
  bool always = false;  ///< whether response_fields also apply to the gateway's own problems
  std::optional<HostHeader> host;
  /// whether addresses in answers are translated back; if not set, they are translated if the route changes path or
  /// host
  std::optional<bool> answers;
  std::optional<RouteRedirect> redirect;
  std::vector<FieldEdit> respond_fields;  ///< the fields of the fixed answer of the route
};

}  // namespace headgate::gateway
