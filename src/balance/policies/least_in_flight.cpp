// Chooses the server with the fewest requests in flight for its weight.

#include "../in_turn.hpp"

namespace headgate::balance::policy {

extern const Policy least_in_flight;
const Policy least_in_flight{.name = "least_in_flight",
                             .timed = true,
                             .meaning = "by the fewest requests in flight",
                             .choose = [](const Table& table, const PickArgs& ask) {
                               return least_loaded(EligibleServers(table, ask), ask.turn);
                             }};

}  // namespace headgate::balance::policy
