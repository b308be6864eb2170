#pragma once
// Redirects of a cluster node for a call that it does not serve.

#include "headgate/redis/options.hpp"

#include <cstdint>
#include <optional>
#include <string_view>

namespace headgate::redis {

struct Redirect {
  enum class Kind {
    moved,     ///< the slot belongs to `node` now
    check,     ///< the slot's keys are moving to `node`: send this one call there, after ASKING
    try_again  ///< the call's keys are on both nodes while the slot moves
  };
  Kind kind = Kind::moved;
  std::uint16_t slot = 0;  ///< for moved and check
  RedisNode node;          ///< for moved and check; an empty host stands for the host of the node that answered
};

/// Parses "MOVED 3999 127.0.0.1:6381", "ASK ..." or "TRYAGAIN ..."; empty for any other error.
std::optional<Redirect> read_redirect(std::string_view error);

}  // namespace headgate::redis
