#include "headgate/balance/policy.hpp"

#include <algorithm>

namespace headgate::balance {

std::optional<std::size_t> round_robin(std::span<const Server> servers, const Ask& ask) {
  const auto up = [](const Server& server) { return server.state.load(std::memory_order_relaxed) == State::up; };
  const bool all_down = std::none_of(servers.begin(), servers.end(), up);
  const auto may_have = [&](const Server& server) { return all_down || up(server); };
  // A round has as many turns as the sum of the weights of the servers that may be chosen. In the first pass each of
  // them has a turn, in the second each with a weight above 1, and so on. So the turns of one server are spread over
  // the round.
  std::uint64_t round = 0;
  for (const auto& server : servers) round += may_have(server) ? server.weight : 0;
  if (round == 0) return std::nullopt;
  auto turns = ask.turn % round;
  std::size_t first = 0;
  for (std::uint32_t pass = 0;; first = (first + 1) % servers.size()) {
    if (may_have(servers[first]) && servers[first].weight > pass && turns-- == 0) break;
    if (first + 1 == servers.size()) ++pass;
  }
  for (std::size_t i = 0; i < servers.size(); ++i) {
    const auto at = (first + i) % servers.size();
    if (may_have(servers[at]) && (ask.tried.empty() || !ask.tried[at])) return at;
  }
  return std::nullopt;
}

}  // namespace headgate::balance
