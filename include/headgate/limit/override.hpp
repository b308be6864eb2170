#pragma once
// An override: the temporary size that an operator gives one key of a limit, and its entry in the log that gateways
// share. Used by gateway, services, server, admin and redis.

#include "headgate/core/literals.hpp"
#include "headgate/core/time.hpp"
#include "headgate/limit/shared_log.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace headgate::limit {

/// An override: from `since` until just before `until`, `key` has these rates instead of those of `limit`.
struct Override {
  static constexpr std::size_t kMaxRates = 8;
  static constexpr std::size_t kMaxWhy = 200;  ///< maximum length in bytes

  std::string limit;
  std::string key;                     ///< key as in Check; any bytes, at most 256
  std::vector<Rate> rates;             ///< rates of the override; empty if unlimited
  std::optional<std::uint64_t> burst;  ///< burst of the only rate; absent for the algorithm's default
  std::string why;                     ///< reason given by the operator; may be empty
  Instant since{};
  Instant until{};
  /// Whether an operator ended the override at `since`. `until` is then the end that the override would have had, so
  /// that the log keeps the entry until no gateway can act on that override any more.
  bool lifted = false;
  /// Position of the override's entry in the shared log; rises with each entry. 0 if the entry is not in the log yet.
  std::uint64_t version = 0;

  bool operator==(const Override&) const = default;
};

/// Returns "500/minute", "10/second and 500/hour" or "unlimited".
std::string rates_text(const Override& override);

/// Returns the log entry. Its text is "<lifted, 0 or 1> <burst, or 0> <number of rates> <each rate> <bytes of the
/// limit's name> <bytes of the key> <name><key><why>".
LogEntry entry_of(const Override& override);
/// Parses a log entry; empty if no gateway can have written the text.
std::optional<Override> read_override(const LogEntry& entry);

}  // namespace headgate::limit
