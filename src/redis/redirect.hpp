#pragma once
// Where a node of a cluster sends a call that it does not serve.

#include "headgate/redis/options.hpp"

#include <cstdint>
#include <optional>
#include <string_view>

namespace headgate::redis {

struct Redirect {
  enum class Kind {
    moved,     ///< the slot belongs to `node`
    ask,       ///< its keys are being moved to `node`: this one call goes there, after ASKING
    try_again  ///< some of the call's keys are here and some there, for as long as the slot is being moved
  };
  Kind kind = Kind::moved;
  std::uint16_t slot = 0;  ///< of moved and ask
  Node node;               ///< of moved and ask; an empty host is that of the node that answered
};

/// "MOVED 3999 127.0.0.1:6381", "ASK ...", "TRYAGAIN ..."; nothing for any other error.
std::optional<Redirect> read_redirect(std::string_view error);

}  // namespace headgate::redis
