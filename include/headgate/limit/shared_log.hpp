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
  /// Position of the entry in the log; rises with each entry. 0 if the entry is not in the log yet.
  std::uint64_t version = 0;
};

/// The number of gateways that have read up to some entry (`heard`), out of the recently present gateways (`of`).
struct Acknowledgements {
  std::size_t heard = 0;
  std::size_t of = 0;
};

/// The log. One thread. Instants are those of this gateway's clock, even if the clocks of other gateways differ.
class SharedLog {
 public:
  /// The result of a read.
  struct News {
    std::vector<LogEntry> entries;  ///< entries in the order of the log; an entry may be returned again by a later read
    std::string position;           ///< position for the next read
    bool more = false;              ///< true if there are more entries, so that the caller should read again at once
    /// true if `entries` are the first of the log, because `position` was "" or the log no longer has that position
    bool from_beginning = false;
  };

  virtual ~SharedLog() = default;
  /// Appends an entry and returns its version once the log has it. After an error the log may or may not have it;
  /// appending it again does no harm. `entry` must outlive the await.
  virtual Task<Result<std::uint64_t>> append(const LogEntry& entry) = 0;
  /// Reads the entries after `position`, a few hundred at most; "" is the beginning of the log.
  virtual Task<Result<News>> read(std::string_view position) = 0;
  /// Tells the other gateways that this one is present and acts on all entries up to `position`. Returns how many
  /// gateways act on all entries up to `version`.
  virtual Task<Result<Acknowledgements>> hear(std::string_view position, std::uint64_t version) = 0;
  /// Removes this gateway from the present gateways.
  virtual Task<error_code> leave() = 0;
  /// Closes the connections of this object; calls under way fail.
  virtual void stop() = 0;
};

}  // namespace headgate::limit
