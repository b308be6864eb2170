// Chooses the first server of the list that may be chosen. A policy needs no file but this one. Only tests use it.

#include "../../../src/balance/candidates.hpp"

namespace headgate::balance::policy {

extern const Policy first_free;
const Policy first_free{.name = "first_free",
                        .meaning = "in the order of the list",
                        .choose = [](const Table& table, const PickArgs& ask) -> std::optional<std::size_t> {
                          const Candidates candidates(table, ask);
                          for (std::size_t at = 0; at < candidates.size(); ++at)
                            if (candidates.has(at)) return at;
                          return std::nullopt;
                        }};

}  // namespace headgate::balance::policy
