// Chooses the first server of the list that may be chosen. A policy needs no file but this one. Only tests use it.

#include "../../../src/balance/eligible_servers.hpp"

namespace headgate::balance::policy {

extern const Policy first_free;
const Policy first_free{.name = "first_free",
                        .meaning = "in the order of the list",
                        .choose = [](const Table& table, const PickArgs& ask) -> std::optional<std::size_t> {
                          const EligibleServers eligible(table, ask);
                          for (std::size_t at = 0; at < eligible.size(); ++at)
                            if (eligible.has(at)) return at;
                          return std::nullopt;
                        }};

}  // namespace headgate::balance::policy
