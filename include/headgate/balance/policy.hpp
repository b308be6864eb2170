#pragma once
// Choosing a server: a pure function of the table and of what the request has behind it.

#include "headgate/balance/table.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>

namespace headgate::balance {

/// What a policy is told beside the table.
struct Ask {
  std::uint64_t turn = 0;            ///< how many choices of this upstream were taken up before
  std::span<const bool> tried = {};  ///< servers that this request need not be sent to again; empty: none yet
};

/// Which server is the next; nothing where there is none left to try. Where all are down, it chooses as if all were up:
/// a server that is thought to be down may answer, and a refusal surely does not.
using Policy = std::optional<std::size_t> (*)(std::span<const Server> servers, const Ask& ask);

/// One after the other.
std::optional<std::size_t> round_robin(std::span<const Server> servers, const Ask& ask);

}  // namespace headgate::balance
