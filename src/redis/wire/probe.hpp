#pragma once
// The write that shows whether a server can decide: one decision of the script for a counter of the gateway's own.

#include "connection.hpp"

#include "headgate/limit/limit.hpp"
#include "headgate/redis/reply.hpp"

#include <chrono>
#include <optional>
#include <string>

namespace headgate::redis {

/// For one server, at most one at a time. It needs no other rights than decisions, has a key under their prefix, and
/// costs as much as one decision. Its key expires three milliseconds later. Worker thread only.
class Probe : public Recipient {
 public:
  using Time = std::chrono::steady_clock::time_point;

  /// The key of its counter. In a cluster, a key whose slot belongs to this server.
  std::string key = "0";
  std::optional<Time> sent;  ///< set while it is unanswered
  bool overdue = false;      ///< its deadline has passed
  bool resent = false;       ///< sent again with the whole script

  limit::Check check() const noexcept;
  /// Returns whether `reply` shows that Redis counted it.
  bool counted(const Reply& reply) const;
};

}  // namespace headgate::redis
