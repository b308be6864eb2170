#pragma once
// Logs in Redis: what the gateways with one key prefix append to one, each of them reads.

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

/// What a log is of. Static storage.
struct LogKind {
  std::string_view name;                                     ///< the end of its key
  std::string_view field;                                    ///< of each entry
  std::string_view event;                                    ///< how the names of its events begin
  std::string_view what;                                     ///< what is not shared while it fails, for people
  bool (*readable)(const limit::LogEntry& entry) = nullptr;  ///< whether a gateway may have written the text
};
extern const LogKind kBans;
extern const LogKind kOverrides;

/// A stream at the key `<prefix>v1:{<name>}`, in one slot of a cluster. It needs Redis 5. One for each process; the
/// thread of its loop only, except for what says any thread. It has connections of its own, and follows Sentinels or
/// the owner of its slot as a SharedLimiter does. Its calls wait up to a second, because no request waits for them.
///
/// The log has about the last kMaxEntries entries. An entry also leaves after `kept` from its end, but never before the
/// entries in front of it. The key expires 31 days after the last entry, or `kept` after the end of the longest-lasting
/// entry if that is later. What Redis loses in a failover is lost; the gateways that had read it keep it.
///
/// Clocks: an entry has the Redis time when it was appended, and times relative to that. A read translates them to this
/// gateway's clock, exact to the time that the two calls take. The clocks of gateways do not matter. If a new master's
/// clock is ahead or behind, entries of the old one end as much earlier or later, but none lasts longer than at its
/// beginning.
///
/// `LogEntry::version` has the milliseconds of the entry's id in the upper 42 bits and its number in the lower 22. An
/// entry that this gateway appends has a higher version than all that it has read or appended, also if the clock of
/// Redis was set back.
///
/// Beside the stream, the hash `<prefix>v1:{<name>}:gateways` says which gateways are there: each has a field, which
/// counts for kPresent.
class RedisSharedLog final : public limit::SharedLog {
 public:
  static constexpr std::size_t kMaxEntries = 65'536;
  static constexpr std::size_t kPage = 128;                            ///< entries of one read, at most
  static constexpr Duration kLongest = std::chrono::hours(24 * 3650);  ///< of an entry; longer ones are cut
  static constexpr Duration kPresent = std::chrono::seconds(15);       ///< since the last hear() of a gateway

  /// Connects in the background at once; copies `options`. Never blocks. See SharedLimiter for the loop. `kept`: how
  /// long an entry stays after its end, at most kLongest.
  RedisSharedLog(boost::asio::io_context& loop, const RedisOptions& options, const LogKind& kind, Duration kept);
  ~RedisSharedLog() override;
  RedisSharedLog(const RedisSharedLog&) = delete;
  RedisSharedLog& operator=(const RedisSharedLog&) = delete;

  /// Errors: redis::Errc, or invalid_argument for a text that is not readable.
  Task<Result<std::uint64_t>> append(const limit::LogEntry& entry) override;
  /// One small command if there is no news. If the log lost the entry at `position` (in a failover, or by an operator),
  /// it is read from its beginning again. Errors: redis::Errc. Redis 4, a key of another type or a missing right is
  /// Errc::refused_by_server, with one line in the log for each such cause.
  Task<Result<News>> read(std::string_view position) override;
  /// Errors as read().
  Task<Result<limit::Heard>> hear(std::string_view position, std::uint64_t version) override;

  /// Errors as read().
  Task<error_code> leave() override;

  RedisHealth health() const noexcept;        ///< any thread
  std::uint64_t unreadable() const noexcept;  ///< any thread; entries that no gateway of this version wrote

  /// Calls end with Errc::stopped, also those that wait. When the loop has run out of work, nothing of it runs any
  /// more.
  void stop() override;

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace headgate::redis
