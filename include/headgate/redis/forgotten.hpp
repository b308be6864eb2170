#pragma once
// What a part of forgetting all keys of a limit in Redis has done. See SharedLimiter::forget.

#include <cstdint>
#include <string>
#include <vector>

namespace headgate::redis {

/// A server whose keys could not be looked at.
struct NotForgotten {
  std::string server;  ///< "host:port"; or slots of a cluster that no server has
  std::string why;     ///< one printable line
};

struct Forgotten {
  std::uint64_t keys = 0;       ///< removed
  std::uint64_t looked_at = 0;  ///< keys of any kind
  std::uint64_t there = 0;      ///< keys of any kind on the servers that were asked, as they said last
  std::vector<NotForgotten> not_done;
  std::string more;  ///< where the next part begins; empty: this was the last
};

}  // namespace headgate::redis
