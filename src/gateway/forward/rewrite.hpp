#pragma once
// Makes the path for a server, or the address of a redirect, from the path of a request.

#include "headgate/gateway/exchange.hpp"
#include "headgate/gateway/problem.hpp"
#include "headgate/gateway/route_edits.hpp"

#include <optional>

namespace headgate::gateway {

/// Returns segment `number` of `path`, counted from 0, without its parameters (";v=1"), which the router ignores as
/// well; "" if there is none.
std::string_view segment_of(std::string_view path, std::size_t number) noexcept;
/// Returns the rest of `path` after the first `count` segments: empty, or beginning with a '/'.
std::string_view after_segments(std::string_view path, std::size_t count) noexcept;

/// Fills in the template `made` for `path`, a normalised path with the client's escapes. Returns at least "/". A view
/// into `text`.
std::string_view fill_in(TextArena& text, const PathTemplate& made, std::string_view path);

/// Returns whether a server reads `path` as the router would: the path is normalised, and has no hidden slash unless
/// `hides_slash` is set.
bool reads_as_written(std::string_view path, bool hides_slash);

/// Sets x.path_for_server. Only for routes that rewrite paths.
std::optional<Problem> rewrite(Exchange& x);
/// Returns the Location of the route's redirect. A view into x.text.
std::string_view location_of_route(Exchange& x);

/// Returns the path to send to a server.
inline std::string_view path_for_server(const Exchange& x) noexcept {
  return x.route->edits && !x.path_for_server.empty() ? x.path_for_server : x.request.path_to_send();
}

}  // namespace headgate::gateway
