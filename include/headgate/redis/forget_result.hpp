#pragma once
// The result of one part of forgetting all keys of a limit in Redis. See SharedLimiter::forget.

#include <cstdint>
#include <string>
#include <vector>

namespace headgate::redis {

/// A server whose keys could not be examined.
struct ForgetFailure {
  std::string server;  ///< "host:port", or the slots of a cluster that no server has
  std::string why;     ///< reason of the failure, one printable line
};

struct ForgetResult {
  std::uint64_t keys = 0;       ///< number of removed keys
  std::uint64_t looked_at = 0;  ///< number of examined keys of any kind
  std::uint64_t there = 0;      ///< total number of keys on the servers that were asked, as last reported
  std::vector<ForgetFailure> not_done;
  std::string more;  ///< position at which the next part begins; empty if this was the last part
};

}  // namespace headgate::redis
