#pragma once
// The interface of a log that gateways share: each gateway appends entries, and all of them read the log. The users of
// the log define the meaning of entries. Used by services, redis, ban and override.

#include "headgate/core/result.hpp"
#include "headgate/core/task.hpp"
#include "headgate/core/time.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace headgate::limit {

/// An entry, which is valid from `since` until `until`.
struct LogEntry {
  Instant since{};
  Instant until{};
  std::string text;  ///< content; any bytes
  /// Position in the log; rises with each entry. 0 if it is not in the log yet.
  std::uint64_t version = 0;
};

/// The number of recently present gateways that have read up to some entry.
struct Acknowledgements {
  std::size_t heard = 0;
  std::size_t of = 0;
};

/// The log. One thread. Instants are those of this gateway's clock, whatever the clocks of others are.
class SharedLog {
 public:
  /// The result of a read.
  struct News {
    std::vector<LogEntry> entries;  ///< in the order of the log; an entry may be returned again by a later read
    std::string position;           ///< position for the next read
    bool more = false;              ///< there are more entries, so read again at once
    /// `entries` are the first of the log, because `position` was "" or the log no longer has it
    bool from_beginning = false;
  };

  virtual ~SharedLog() = default;
  /// Appends an entry and returns its version once the log has it. After an error the log may or may not have it;
  /// appending it again does no harm. `entry` must outlive the await.
  virtual Task<Result<std::uint64_t>> append(const LogEntry& entry) = 0;
  /// Reads the entries after `position`, a few hundred at most; "" is the beginning of the log.
  virtual Task<Result<News>> read(std::string_view position) = 0;
  /// Tells the others that this gateway is present and acts on all entries up to `position`. Returns how many act on
  /// all entries up to `version`.
  virtual Task<Result<Acknowledgements>> hear(std::string_view position, std::uint64_t version) = 0;
  /// Removes this gateway from those that are present.
  virtual Task<error_code> leave() = 0;
  /// Closes its connections; calls under way fail.
  virtual void stop() = 0;
};

}  // namespace headgate::limit
