#pragma once
// A suspension of one key, and its entry in the log that gateways share.

#include "headgate/core/time.hpp"
#include "headgate/limit/shared_log.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace headgate::limit {

/// Why a key was suspended.
enum class BanReason : std::uint8_t { rejections, statuses, operated };

/// One suspension: the requests of `key` under `limit` are refused until `until`. A suspension that was lifted ends at
/// the moment of the lift.
struct Ban {
  std::string limit;
  std::string key;  ///< as in Check; any bytes, at most 256
  Instant since{};
  Instant until{};
  std::uint32_t level = 0;  ///< how many suspensions before it made it longer
  BanReason reason = BanReason::rejections;
  bool lifted = false;    ///< an operator ended it
  bool observed = false;  ///< its limit only observes: nobody is refused
  /// Of an entry of the shared log: rises with each entry. 0: not in the log yet.
  std::uint64_t version = 0;
};

/// Its text is "<level> <reason> <lifted, 0 or 1> <observed, 0 or 1> <bytes of the limit's name> <name><key>".
LogEntry entry_of(const Ban& ban);
/// Nothing if no gateway can have written the text.
std::optional<Ban> read_ban(const LogEntry& entry);

}  // namespace headgate::limit
