#pragma once
// An override: the size that an operator gives one key of a limit for a time; and its entry in the log that gateways
// share.

#include "headgate/core/literals.hpp"
#include "headgate/core/time.hpp"
#include "headgate/limit/shared_log.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace headgate::limit {

/// From `since` until just before `until`, `key` has these rates in place of those of `limit`.
struct Override {
  static constexpr std::size_t kMaxRates = 8;
  static constexpr std::size_t kMaxWhy = 200;  ///< bytes

  std::string limit;
  std::string key;                     ///< as in Check; any bytes, at most 256
  std::vector<Rate> rates;             ///< empty: unlimited
  std::optional<std::uint64_t> burst;  ///< of its only rate; else the algorithm's default
  std::string why;                     ///< what the operator says; may be empty
  Instant since{};
  Instant until{};
  /// An operator ended it, at `since`. `until` is then that of what it ended, so that the log keeps it until no gateway
  /// can act on that any more.
  bool lifted = false;
  /// Of an entry of the shared log: rises with each entry. 0: not in the log yet.
  std::uint64_t version = 0;

  bool operator==(const Override&) const = default;
};

/// "500/minute", "10/second and 500/hour", "unlimited"
std::string rates_text(const Override& override);

/// Its text is "<lifted, 0 or 1> <burst, or 0> <number of rates> <each rate> <bytes of the limit's name> <bytes of the
/// key> <name><key><why>".
LogEntry entry_of(const Override& override);
/// Nothing if no gateway can have written the text.
std::optional<Override> read_override(const LogEntry& entry);

}  // namespace headgate::limit
