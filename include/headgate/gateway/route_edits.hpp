#pragma once
// What a route changes in the messages that pass it, ready for use. Made when the configuration is compiled, for the
// routes that change anything; the others have none.

#include "headgate/gateway/edit_options.hpp"

#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace headgate::gateway {

struct RouteOptions;

/// A path or address that takes parts from the path of a request.
struct PathTemplate {
  static constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();
  struct Piece {
    std::string text;             ///< as it is
    std::size_t segment = kNone;  ///< then this segment of the request's path, from 0
  };
  std::vector<Piece> pieces;
  std::size_t rest_after = kNone;  ///< at the end, what follows so many segments: empty, or from its '/' on
};

/// Immutable; any thread may read it.
struct RouteEdits {
  std::optional<PathTemplate> path;        ///< of the request to the server; not set: the client's
  std::string stripped;                    ///< the prefix that the server does not see
  std::string added;                       ///< the prefix that only the server sees
  std::vector<FieldEdit> request_fields;   ///< in this order, those of all routes first
  std::vector<FieldEdit> response_fields;  ///< the same
  std::vector<FieldEdit> respond_fields;   ///< of the fixed answer
  bool always = false;
  HostHeader host;
  bool answers = false;                  ///< whether addresses in answers are turned back
  bool turns_paths = false;              ///< and paths in them
  std::optional<PathTemplate> location;  ///< of the route's redirect
  std::optional<std::string> query;      ///< of it; not set: the request's
  bool reads_token = false;              ///< whether a claim is among the values
};

/// The edits of a route: those of all routes, its own, and the `base` of its upstream; null if there are none. `all`
/// and route.edits may be null.
std::shared_ptr<const RouteEdits> compile_edits(const EditOptions* all, const RouteOptions& route,
                                                std::string_view base = {});

}  // namespace headgate::gateway
