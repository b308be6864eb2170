#pragma once
// Logs in Redis that gateways with the same key prefix share: each appends entries, and all read them. Used by server
// for suspensions and overrides.

#include "headgate/core/result.hpp"
#include "headgate/core/task.hpp"
#include "headgate/core/time.hpp"
#include "headgate/limit/shared_log.hpp"
#include "headgate/redis/limiter.hpp"
#include "headgate/redis/options.hpp"

#include <boost/asio/io_context.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

namespace headgate::redis {

/// The kind of a log. Static storage.
struct LogKind {
  std::string_view name;                                     ///< last part of the log's key in Redis
  std::string_view field;                                    ///< field name of each entry
  std::string_view event;                                    ///< prefix of the names of this log's events
  std::string_view what;                                     ///< the shared things, for messages about a failure
  bool (*readable)(const limit::LogEntry& entry) = nullptr;  ///< returns whether a gateway can have written the text
};
extern const LogKind kBans;
extern const LogKind kOverrides;

/// Keeps a stream at the key `<prefix>v1:{<name>}`, in one slot of a cluster. Needs Redis 5. One per process; the
/// thread of its loop only, except where noted. It has connections of its own, and follows Sentinels or the owner of
/// its slot like a SharedLimiter. Its calls wait up to a second, because no request waits for them.
///
/// The log has about the last kMaxEntries entries. An entry is also removed `kept` after its end, but never before the
/// entries in front of it. The key expires 31 days after the last entry, or `kept` after the end of the longest-lasting
/// entry if that is later. Data that Redis loses in a failover is lost; gateways that had read it keep it.
///
/// Clocks: an entry has the Redis time at which it was appended, and times relative to that. A read translates them to
/// the clock of this gateway; the error is at most the duration of the two calls. So the clocks of gateways need not
/// agree. If the clock of a new master is ahead or behind, entries of the old master end earlier or later by that much,
/// but no entry lasts longer than its full duration.
///
/// `LogEntry::version` has the milliseconds of the entry's id in the upper 42 bits and its number in the lower 22. An
/// entry that this gateway appends has a higher version than all that it has read or appended, even if the clock of
/// Redis was set back.
///
/// Beside the stream, the hash `<prefix>v1:{<name>}:gateways` lists the gateways that are present: each has a field,
/// which is valid for kPresent.
class RedisSharedLog final : public limit::SharedLog {
 public:
  static constexpr std::size_t kMaxEntries = 65'536;
  static constexpr std::size_t kPage = 128;  ///< maximum number of entries of one read
  /// maximum duration of an entry; longer entries are cut to this duration
  static constexpr Duration kLongest = std::chrono::hours(24 * 3650);
  /// time for which a gateway counts as present after its last hear()
  static constexpr Duration kPresent = std::chrono::seconds(15);

  /// Connects in the background at once; copies `options`. Never blocks. See SharedLimiter for the loop. `kept` is how
  /// long an entry stays after its end, at most kLongest.
  RedisSharedLog(boost::asio::io_context& loop, const RedisOptions& options, const LogKind& kind, Duration kept);
  ~RedisSharedLog() override;
  RedisSharedLog(const RedisSharedLog&) = delete;
  RedisSharedLog& operator=(const RedisSharedLog&) = delete;

  /// Appends an entry and returns its version. Errors: redis::Errc, or invalid_argument for a text that is not
  /// readable.
  Task<Result<std::uint64_t>> append(const limit::LogEntry& entry) override;
  /// Reads the entries after `position`; one small command if there are none. If the log no longer has the entry at
  /// `position` (after a failover, or because of an operator), the log is read from its beginning again. Errors:
  /// redis::Errc. Redis 4, a key of another type or a missing right is Errc::refused_by_server, with one log line for
  /// each such cause.
  Task<Result<News>> read(std::string_view position) override;
  /// Errors are those of read().
  Task<Result<limit::Acknowledgements>> hear(std::string_view position, std::uint64_t version) override;

  /// Errors are those of read().
  Task<error_code> leave() override;

  RedisHealth health() const noexcept;        ///< any thread
  std::uint64_t unreadable() const noexcept;  ///< any thread; number of entries that no gateway of this version wrote

  /// Ends calls with Errc::stopped, including waiting ones. When the loop has run out of work, no task of this object
  /// runs any more.
  void stop() override;

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace headgate::redis
