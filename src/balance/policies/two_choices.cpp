// Draws two servers by weight and chooses the one with fewer requests in flight for its weight (Mitzenmacher, "The
// power of two choices in randomized load balancing", 2001). Two are enough to avoid a busy server. Gateways that do
// not know each other's requests also do not all choose the same server, as they would with the least loaded one.

#include "../candidates.hpp"
#include "../pick_random.hpp"

namespace headgate::balance::policy {
namespace {

/// Returns the server at `point` of a line on which each server except `but` has as much room as its share.
std::size_t drawn(const Candidates& candidates, std::uint64_t point, std::size_t but) {
  for (std::size_t at = 0;; ++at) {
    if (at == but || !candidates.has(at)) continue;
    const auto room = candidates.share(at);
    if (point < room) return at;
    point -= room;
  }
}

std::optional<std::size_t> of_two(const Table& table, const PickArgs& ask) {
  const Candidates candidates(table, ask);
  std::uint64_t line = 0;
  std::size_t count = 0;
  for (std::size_t at = 0; at < candidates.size(); ++at) {
    if (!candidates.has(at)) continue;
    ++count;
    line += candidates.share(at);
  }
  if (count == 0) return std::nullopt;
  PickRandom random(ask);
  const auto one = drawn(candidates, random.below(line), candidates.size());
  if (count == 1) return one;
  const auto other = drawn(candidates, random.below(line - candidates.share(one)), one);
  return candidates.less_loaded(other, one) ? other : one;
}

}  // namespace

extern const Policy two_choices;
const Policy two_choices{.name = "two_choices",
                         .timed = true,
                         .meaning = "by the fewer requests in flight of two that are drawn",
                         .choose = of_two};

}  // namespace headgate::balance::policy
