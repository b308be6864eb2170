#pragma once
// The write that shows whether a server decides: one decision of the script about a counter of our own.

#include "connection.hpp"

#include "headgate/limit/limit.hpp"
#include "headgate/redis/reply.hpp"

#include <chrono>
#include <optional>
#include <string>

namespace headgate::redis {

/// Asked of one server, once at a time. It needs no right that decisions do not need, lies under their prefix, costs
/// what one of them costs, and leaves a key that is gone three milliseconds later. Worker thread only.
class Probe : public Recipient {
 public:
  using Time = std::chrono::steady_clock::time_point;

  /// What its key is of: in a cluster a subject whose slot is this server's.
  std::string subject = "0";
  std::optional<Time> sent;  ///< while it is unanswered
  bool overdue = false;      ///< its deadline has passed
  bool resent = false;       ///< with the whole script

  limit::Ask ask() const noexcept;
  /// Whether `reply` says that it was counted.
  bool counted(const Reply& reply) const;
};

}  // namespace headgate::redis
