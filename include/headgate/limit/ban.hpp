#pragma once
// A suspension of one key, and its entry in the log that gateways share. Used by ban_table, server, services and redis.

#include "headgate/core/time.hpp"
#include "headgate/limit/shared_log.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace headgate::limit {

/// The reason why a key was suspended.
enum class BanReason : std::uint8_t { rejections, statuses, operated };

/// A suspension: the requests of `key` under `limit` are refused until `until`. A suspension that was lifted ends at
/// the moment of the lift.
struct Ban {
  std::string limit;
  std::string key;  ///< key as in Check; any bytes, at most 256
  Instant since{};
  Instant until{};
  std::uint32_t level = 0;  ///< number of earlier suspensions that made this one longer
  BanReason reason = BanReason::rejections;
  bool lifted = false;    ///< true if an operator ended the suspension
  bool observed = false;  ///< true if the limit only observes, so that nobody is refused
  /// Position of the suspension's entry in the shared log; rises with each entry. 0 if the entry is not in the log yet.
  std::uint64_t version = 0;
};

/// Returns the log entry. Its text is "<level> <reason> <lifted, 0 or 1> <observed, 0 or 1> <bytes of the limit's name>
/// <name><key>".
LogEntry entry_of(const Ban& ban);
/// Parses a log entry; empty if no gateway can have written the text.
std::optional<Ban> read_ban(const LogEntry& entry);

}  // namespace headgate::limit
