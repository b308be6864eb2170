#pragma once
// What a route changes in the messages that pass it, as a user writes it: paths, fields, the name of the server. config
// fills it; the path uses RouteEdits, which are compiled from it.

#include "headgate/http/fields.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace headgate::gateway {

/// A piece of a text: itself, or what it stands for in one request.
struct TextPart {
  enum class Kind : std::uint8_t {
    literal,
    client_ip,
    request_id,
    route,
    host,       ///< normalised
    claim,      ///< of the verified token
    auth,       ///< a field of the auth service's answer
    user,       ///< whose password was right
    key_owner,  ///< of the known API key
    key_tier,
    key_tags,
    path  ///< a parameter of the route's path
  };
  Kind kind = Kind::literal;
  std::string text;         ///< the literal, the claim's, the field's or the parameter's name
  std::size_t segment = 0;  ///< path: its place in the route's path; set when it is compiled
  bool operator==(const TextPart&) const = default;
};
using TextTemplate = std::vector<TextPart>;

/// The variables, as a user writes them between "${" and "}".
inline constexpr std::string_view kVariables[] = {"client_ip",    "request_id",   "route",           "host",
                                                  "jwt.<claim>",  "auth.<field>", "basic.user",      "api_key.owner",
                                                  "api_key.tier", "api_key.tags", "path.<parameter>"};
/// "client_ip", "jwt.sub", "path.id"; nothing if no variable is called so.
std::optional<TextPart> read_variable(std::string_view name);

/// One change of the fields of a head. A field whose value is empty for a request is not sent.
struct FieldEdit {
  enum class How : std::uint8_t {
    set,  ///< in place of all fields of this name
    add,  ///< beside them
    remove,
    add_each  ///< as `add`, each line of a field of the auth service's answer
  };
  How how = How::set;
  std::string name;
  TextTemplate value{};
  http::Known id = http::Known::unknown;  ///< of the name; set when it is compiled
};

/// The direction of the message whose fields are changed.
enum class Towards : std::uint8_t { server, client };
/// Why no route may change this field, as a sentence without its dot; "" if it may. Names are compared with
/// same_variable().
std::string_view why_fixed(std::string_view name, Towards towards) noexcept;

/// How the path for the server is made of the client's. Either the first two or the last one.
struct Rewrite {
  std::string strip_prefix;  ///< literal segments that the path begins with, "/api"; empty: none
  std::string add_prefix;    ///< put before what is left, "/v2"; empty: none
  std::string path;          ///< "/users/{id}/*": parameters and "*" as in the route's path; empty: not used
  bool empty() const noexcept { return strip_prefix.empty() && add_prefix.empty() && path.empty(); }
};

/// An answer that sends the client elsewhere.
struct RouteRedirect {
  std::string to;         ///< "/new/*" or "https://host/new/{id}?query"
  unsigned status = 308;  ///< 301, 302, 303, 307 or 308
};

/// What the server gets as Host.
struct HostHeader {
  enum class Is : std::uint8_t { as_received, server, fixed };
  Is is = Is::as_received;
  std::string text;  ///< fixed: the host, with a port if it is not the default one
};

/// All changes of one route, or of all routes.
struct EditOptions {
  Rewrite rewrite;
  std::vector<FieldEdit> request_fields;
  std::vector<FieldEdit> response_fields;
  bool always = false;  ///< whether response_fields are also for the gateway's own problems
  std::optional<HostHeader> host;
  std::optional<bool> answers;  ///< whether addresses in answers are turned back; not set: if path or host are changed
  std::optional<RouteRedirect> redirect;
  std::vector<FieldEdit> respond_fields;  ///< of the fixed answer of the route
};

}  // namespace headgate::gateway
