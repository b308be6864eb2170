// Reads the body of a request before a server is chosen, up to the size that the route sets. A slow upload then
// occupies neither a server nor a place at the upstream, and the request can be sent more than once.

#include "gateway/bodies/body_values.hpp"
#include "gateway/exchange/body_problem.hpp"
#include "gateway/servers/held_body.hpp"
#include "steps.hpp"

#include <algorithm>
#include <memory>

namespace headgate::gateway {

Task<MaybeProblem> read_ahead(Path& path, Exchange& x, std::uint64_t most, BodyValues* values) {
  if (!x.held) x.held = std::make_shared<HeldBody>(path.services.lent);
  const auto held = x.held;
  const auto begun = x.clock->steady();
  const auto& framing = x.request.framing;
  if (framing.kind == http::Framing::Kind::length)
    held->expect(static_cast<std::size_t>(std::max(framing.length, held->bytes().size())));
  const auto bound = x.snapshot->compiled->options().buffered;
  const auto any_left = [&] {
    return bound == 0 || path.services.lent == nullptr || path.services.lent->all() < bound;
  };
  while (!x.body->ended() && held->bytes().size() < most && any_left()) {
    const auto bytes = co_await x.body->read();
    if (x.client_gone) co_return MaybeProblem{};
    if (bytes.has_error()) {
      note_slow(x, bytes.error());
      co_return MaybeProblem(problem_of_body(bytes.error()));
    }
    held->append(*bytes);
    x.body_bytes += bytes->size();
    if (values != nullptr) values->read_request(*bytes);
  }
  x.awaited += std::chrono::duration_cast<Duration>(x.clock->steady() - begun);
  co_return MaybeProblem{};
}

// A larger body is not refused here, because max_body decides about that: it is streamed like a body that is not held.
Task<MaybeProblem> hold_body(Path& path, Exchange& x) {
  const auto most = x.route->forwarding->held_body;
  const auto& framing = x.request.framing;
  const bool too_long = framing.kind == http::Framing::Kind::length && framing.length > most;
  if (x.client_gone || x.body->ended() || too_long) co_return MaybeProblem{};
  co_return co_await read_ahead(path, x, most, nullptr);
}

}  // namespace headgate::gateway
