// Reads the body of a request before a server is chosen, up to the size that the route sets. A slow upload then
// occupies neither a server nor a place at the upstream, and the request can be sent more than once.

#include "gateway/exchange/body_problem.hpp"
#include "gateway/servers/held_body.hpp"
#include "steps.hpp"

#include <memory>

namespace headgate::gateway {

// A larger body is not refused here, because only max_body refuses bodies. Such a body is streamed like one that is not
// held. The same applies to a body that arrives when no memory is left.
Task<MaybeProblem> hold_body(Path& path, Exchange& x) {
  const auto most = x.route->forwarding->held_body;
  const auto& framing = x.request.framing;
  const bool announced = framing.kind == http::Framing::Kind::length;
  if (x.client_gone || x.body->ended() || (announced && framing.length > most)) co_return MaybeProblem{};
  const auto held = std::make_shared<HeldBody>(path.services.lent);
  x.held = held;
  const auto begun = x.clock->steady();
  if (announced) held->expect(static_cast<std::size_t>(framing.length));
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
  }
  x.awaited += std::chrono::duration_cast<Duration>(x.clock->steady() - begun);
  co_return MaybeProblem{};
}

}  // namespace headgate::gateway
