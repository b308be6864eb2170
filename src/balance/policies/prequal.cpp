// A server with more requests in flight than most others is hot. Among the others, which are cold, the fastest is
// chosen (Wydrowski et al., "Load is not what you should balance: Introducing Prequal", NSDI 2024). Requests in flight
// show immediately that a server is overloaded, and latency shows how fast it is otherwise. The paper queries the
// servers for both values; the gateway knows both for its own requests, so it sends no queries.

#include "../eligible_servers.hpp"
#include "../pick_random.hpp"

#include <algorithm>
#include <array>
#include <span>

namespace headgate::balance::policy {
namespace {

/// Number of servers that are compared, drawn from all. The paper finds no gain from more.
constexpr std::size_t kCompared = 16;
/// Percentage of the compared servers, sorted by requests in flight, that are cold: the paper's 0.84.
constexpr std::size_t kColdOf100 = 84;
/// Draws eligible servers into `out` and returns their number. A server in its slow start is skipped in proportion to
/// its reduced share, because the rest of this policy ignores shares.
std::size_t draw(const EligibleServers& eligible, PickRandom& random, std::array<std::size_t, kCompared>& out,
                 bool warm_only) {
  std::size_t seen = 0;
  for (std::size_t at = 0; at < eligible.size(); ++at) {
    if (!eligible.has(at)) continue;
    if (const auto warmth = eligible.warmth(at);
        warm_only && warmth < kWholeShare && random.below(kWholeShare) >= warmth)
      continue;
    // Each candidate seen so far is in `out` with the same probability (Vitter's algorithm R).
    if (seen < kCompared)
      out[seen] = at;
    else if (const auto place = random.below(seen + 1); place < kCompared)
      out[place] = at;
    ++seen;
  }
  return std::min(seen, kCompared);
}

std::optional<std::size_t> fastest_cold(const Table& table, const PickArgs& ask) {
  const EligibleServers eligible(table, ask);
  PickRandom random(ask);
  std::array<std::size_t, kCompared> room{};
  auto count = draw(eligible, random, room, true);
  if (count == 0) count = draw(eligible, random, room, false);
  if (count == 0) return std::nullopt;
  const std::span drawn(room.data(), count);
  // Equal servers are in random order, so that the first one is not always the same.
  for (std::size_t i = count - 1; i > 0; --i) std::swap(drawn[i], drawn[random.below(i + 1)]);
  std::sort(drawn.begin(), drawn.end(), [&](std::size_t a, std::size_t b) { return eligible.less_loaded(a, b); });
  const auto last_cold = drawn[(count - 1) * kColdOf100 / 100];
  auto best = drawn.front();
  for (const auto at : drawn) {
    if (eligible.less_loaded(last_cold, at)) break;  // all servers from here on are hot
    if (aged_latency(eligible.server(at), ask.now) < aged_latency(eligible.server(best), ask.now)) best = at;
  }
  return best;
}

}  // namespace

extern const Policy prequal;
const Policy prequal{
    .name = "prequal", .timed = true, .meaning = "by requests in flight and latency", .choose = fastest_cold};

}  // namespace headgate::balance::policy
