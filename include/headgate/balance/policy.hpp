#pragma once
// Chooses a server: a pure function of the table and of the servers that this request has tried.

#include "headgate/balance/table.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>

namespace headgate::balance {

/// What a policy knows beside the table.
struct Ask {
  std::uint64_t turn = 0;            ///< how many times a server of this upstream was used before
  std::span<const bool> tried = {};  ///< for each server, whether this request has tried it; empty: none tried
};

/// Returns the index of the server to use; nothing if none is left to try. If all servers are down it chooses as if all
/// were up: a server that is marked down may answer, and an error from the gateway helps nobody.
using Policy = std::optional<std::size_t> (*)(std::span<const Server> servers, const Ask& ask);

/// One server after the other, each as often as its weight says.
std::optional<std::size_t> round_robin(std::span<const Server> servers, const Ask& ask);

}  // namespace headgate::balance
