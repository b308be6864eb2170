#include "rewrite.hpp"

#include "gateway/callers/presented.hpp"

#include "headgate/http/path.hpp"

namespace headgate::gateway {

std::string_view after_segments(std::string_view path, std::size_t count) noexcept {
  for (; count > 0 && !path.empty(); --count) {
    const auto end = path.find('/', 1);
    path = end == path.npos ? std::string_view{} : path.substr(end);
  }
  return path;
}

std::string_view segment_of(std::string_view path, std::size_t number) noexcept {
  if (number == PathTemplate::kNone) return {};
  auto below = after_segments(path, number);
  if (!below.starts_with('/')) return {};
  below.remove_prefix(1);
  const auto segment = http::next_segment(below);
  return segment.substr(0, segment.find(';'));
}

std::string_view fill_in(TextArena& text, const PathTemplate& made, std::string_view path) {
  const auto rest = made.rest_after == PathTemplate::kNone ? std::string_view{} : after_segments(path, made.rest_after);
  std::size_t size = rest.size() + 1;
  for (const auto& piece : made.pieces) size += piece.text.size() + segment_of(path, piece.segment).size();
  return text.write(size, [&](TextCursor& out) {
    const char* const begin = out.at();
    for (const auto& piece : made.pieces) {
      out.text(piece.text);
      out.text(segment_of(path, piece.segment));
    }
    out.text(rest);
    if (out.at() == begin) out.character('/');
  });
}

bool reads_as_written(std::string_view path, bool hides_slash) {
  thread_local std::string matched;
  thread_local std::string sent;
  const auto kind = http::normalise_path(path, matched, sent);
  if (kind == http::PathKind::refused || (kind == http::PathKind::hides_slash && !hides_slash)) return false;
  return path == (sent.empty() ? std::string_view(matched) : std::string_view(sent));
}

std::optional<Problem> rewrite(Exchange& x) {
  if (!x.request.path.starts_with('/')) return {};  // "*" stands for the server as a whole
  const auto made = fill_in(x.text, *x.route->edits->path, x.request.path_to_send());
  // Templates and paths are normalised, so this check should never fail. It is made nevertheless, because a wrong path
  // would reach the server.
  if (!reads_as_written(made, x.request.hides_slash))
    return Problem{.status = 400,
                   .ended_by = EndedBy::bad_request,
                   .detail = "The path of this request cannot be rewritten by its route."};
  x.path_for_server = made;
  return {};
}

std::string_view location_of_route(Exchange& x) {
  const auto& edits = *x.route->edits;
  const auto path = x.request.path.starts_with('/') ? x.request.path_to_send() : std::string_view("/");
  const auto where = fill_in(x.text, *edits.location, path);
  if (edits.query) return x.text.extend(where, {*edits.query});
  // A credential in the query that servers must not get must not go to another host either.
  const bool here = where.starts_with('/');
  const auto query = here ? x.request.query : forwarded_query(x, x.snapshot->compiled->identity());
  return query.empty() ? where : x.text.join({where, query});
}

}  // namespace headgate::gateway
