// Advice on bounds for request bodies on WebSocket routes, where requests have no body.

#include "config/advice/advice.hpp"
#include "config/values.hpp"

#include <algorithm>

namespace headgate::config {
namespace {

constexpr std::uint64_t kSmall = 1'024;

}  // namespace

void advise_bound_of_a_tunnel(Adviser& given) {
  const auto& routes = given.config().gateway.routes;
  for (std::size_t i = 0; i < routes.size(); ++i) {
    if (routes[i].conditions.empty() || routes[i].respond || !is_of_websockets(routes[i])) continue;
    for (const char* const key : {"max_body", "min_rate", "between_bytes", "buffer_request"}) {
      const Node* const written = find(given.build().route_nodes[i], key);
      // A small bound may be intended: it rejects requests with a body, which then get no tunnel.
      const bool refuses = routes[i].max_body.value_or(kSmall) < kSmall && std::string_view(key) == "max_body";
      if (written == nullptr || refuses) continue;
      given.say_at_key(
          *written,
          in_quotes(key) + " bounds no WebSocket: the request for one has no body, and a tunnel has no such bound",
          R"(remove it; "timeouts": { "tunnel": "10m" } ends a tunnel that is silent)");
    }
  }
}

}  // namespace headgate::config
