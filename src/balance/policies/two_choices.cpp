// Draws two servers by weight and chooses the one with fewer requests in flight for its weight (Mitzenmacher, "The
// power of two choices in randomized load balancing", 2001). Two are enough to avoid a busy server. Gateways that do
// not know each other's requests also do not all choose the same server, as they would with the least loaded one.

#include "../eligible_servers.hpp"
#include "../pick_random.hpp"

namespace headgate::balance::policy {
namespace {

/// Returns the server at `point` of a line on which each server except `but` has as much room as its share.
std::size_t drawn(const EligibleServers& eligible, std::uint64_t point, std::size_t but) {
  for (std::size_t at = 0;; ++at) {
    if (at == but || !eligible.has(at)) continue;
    const auto room = eligible.share(at);
    if (point < room) return at;
    point -= room;
  }
}

std::optional<std::size_t> of_two(const Table& table, const PickArgs& ask) {
  const EligibleServers eligible(table, ask);
  std::uint64_t line = 0;
  std::size_t count = 0;
  for (std::size_t at = 0; at < eligible.size(); ++at) {
    if (!eligible.has(at)) continue;
    ++count;
    line += eligible.share(at);
  }
  if (count == 0) return std::nullopt;
  PickRandom random(ask);
  const auto one = drawn(eligible, random.below(line), eligible.size());
  if (count == 1) return one;
  const auto other = drawn(eligible, random.below(line - eligible.share(one)), one);
  return eligible.less_loaded(other, one) ? other : one;
}

}  // namespace

extern const Policy two_choices;
const Policy two_choices{.name = "two_choices",
                         .timed = true,
                         .meaning = "by the fewer requests in flight of two that are drawn",
                         .choose = of_two};

}  // namespace headgate::balance::policy
