#pragma once
// The changes of a route to the messages that pass through it, compiled with the configuration. A route that changes
// nothing has none.

#include "headgate/gateway/edit_options.hpp"

#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace headgate::gateway {

struct RouteOptions;

/// A path or an address that contains parts of the request's path.
struct PathTemplate {
  static constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();
  struct Piece {
    std::string text;             ///< the literal text
    std::size_t segment = kNone;  ///< the segment of the request's path that follows the text, from 0
  };
  std::vector<Piece> pieces;
  /// the number of segments of the request's path that the pieces replace; the rest of the path, which is empty or
  /// begins with '/', is appended to the pieces; kNone to append nothing
  std::size_t rest_after = kNone;
};

/// The compiled changes of a route. Immutable; any thread may read it.
struct RouteEdits {
  std::optional<PathTemplate> path;        ///< the path for the server; if not set, the server gets the client's path
  std::string stripped;                    ///< the prefix that the server does not see
  std::string added;                       ///< the prefix that only the server sees
  std::vector<FieldEdit> request_fields;   ///< fields of the request, in this order; those of all routes come first
  std::vector<FieldEdit> response_fields;  ///< fields of the answer, in the same order
  std::vector<FieldEdit> respond_fields;   ///< fields of the fixed answer
  bool always = false;
  HostHeader host;
  bool answers = false;                  ///< whether addresses in answers are translated back
  bool turns_paths = false;              ///< whether paths in answers are translated back
  std::optional<PathTemplate> location;  ///< the target of the route's redirect
  std::optional<std::string> query;      ///< the query of the redirect; if not set, the query of the request
  bool reads_token = false;              ///< whether a value contains a claim
};

/// Compiles the edits of a route: those of all routes, its own, and the `base` of its upstream. Returns null if there
/// are none. `all` and route.edits may be null.
std::shared_ptr<const RouteEdits> compile_edits(const EditOptions* all, const RouteOptions& route,
                                                std::string_view base = {});

}  // namespace headgate::gateway
