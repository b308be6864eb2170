// Chooses one server after another, each as often as its weight says.

#include "../in_turn.hpp"

namespace headgate::balance::policy {
namespace {

/// Returns whether this is the usual case: nothing was tried, and all servers are in and alike.
bool is_usual(const Table& table, const PickArgs& ask) noexcept {
  if (!table.alike() || (ask.choice && !ask.choice->tried.empty())) return false;
  for (std::size_t at = 0; at < table.size(); ++at)
    if (table[at].out.load(std::memory_order_relaxed) != 0) return false;
  return true;
}

}  // namespace

extern const Policy round_robin;
const Policy round_robin{.name = "round_robin",
                         .meaning = "in turn",
                         .choose = [](const Table& table, const PickArgs& ask) -> std::optional<std::size_t> {
                           if (is_usual(table, ask)) return ask.turn % table.size();
                           const EligibleServers eligible(table, ask);
                           return in_turn(eligible, ask.turn, [&eligible](std::size_t at) { return eligible.has(at); });
                         }};

}  // namespace headgate::balance::policy
