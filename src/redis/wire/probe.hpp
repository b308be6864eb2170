#pragma once
// A write that shows whether a server can decide. It is a decision by the script on a counter that no limit uses.

#include "connection.hpp"

#include "headgate/limit/limit.hpp"
#include "headgate/redis/reply.hpp"

#include <chrono>
#include <optional>
#include <string>

namespace headgate::redis {

/// The probe of one server, at most one at a time. It needs the same rights as a decision, uses a key with the same
/// prefix, and costs as much. Its key expires three milliseconds later. Worker thread only.
class Probe : public Recipient {
 public:
  using Time = std::chrono::steady_clock::time_point;

  /// The key of the counter. In a cluster, a key whose slot belongs to this server.
  std::string key = "0";
  std::optional<Time> sent;  ///< when the probe was sent; set while it is unanswered
  bool overdue = false;      ///< whether the deadline of the probe has passed
  bool resent = false;       ///< whether the probe was sent again with the whole script

  limit::Check check() const noexcept;
  /// Returns whether `reply` shows that Redis counted the probe.
  bool counted(const Reply& reply) const;
};

}  // namespace headgate::redis
