#pragma once
// A log that gateways share: what one appends, each of them reads. What the entries mean is not looked into here.

#include "headgate/core/result.hpp"
#include "headgate/core/task.hpp"
#include "headgate/core/time.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace headgate::limit {

/// Something that holds from `since` until `until`.
struct LogEntry {
  Instant since{};
  Instant until{};
  std::string text;  ///< what it is; any bytes
  /// Rises with each entry of the log. 0: not in the log yet.
  std::uint64_t version = 0;
};

/// How many gateways have read up to some entry, of those that were there in the last seconds.
struct Heard {
  std::size_t heard = 0;
  std::size_t of = 0;
};

/// One thread. Instants are those of this gateway's clock, whatever the clocks of others say.
class SharedLog {
 public:
  /// What a read found.
  struct News {
    std::vector<LogEntry> entries;  ///< in the order of the log; an entry may come again in a later read
    std::string position;           ///< for the next read
    bool more = false;              ///< there are more entries: read again at once
    bool from_beginning = false;    ///< `entries` are the first of the log: `position` was "", or the log has lost it
  };

  virtual ~SharedLog() = default;
  /// The version of the entry, once the log has it. After an error it may or may not have it; appending it again does
  /// no harm. `entry` must outlive the await.
  virtual Task<Result<std::uint64_t>> append(const LogEntry& entry) = 0;
  /// The entries behind `position`; "" is the beginning of the log. A few hundred at most.
  virtual Task<Result<News>> read(std::string_view position) = 0;
  /// Tells the others that this gateway is there and acts on all entries up to `position`. The answer is how many act
  /// on all up to `version`.
  virtual Task<Result<Heard>> hear(std::string_view position, std::uint64_t version) = 0;
  /// The others do not count this gateway any more.
  virtual Task<error_code> leave() = 0;
  /// Ends its connections; calls under way fail.
  virtual void stop() = 0;
};

}  // namespace headgate::limit
