#pragma once
// The log of suspensions in Redis: what the gateways with one key prefix append, each of them reads.

#include "headgate/core/result.hpp"
#include "headgate/core/task.hpp"
#include "headgate/core/time.hpp"
#include "headgate/limit/ban.hpp"
#include "headgate/redis/limiter.hpp"
#include "headgate/redis/options.hpp"

#include <boost/asio/io_context.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

namespace headgate::redis {

/// A stream at the key `<prefix>v1:{bans}`, in one slot of a cluster. It needs Redis 5. One for each process; the
/// thread of its loop only, except for what says any thread. It has connections of its own, and follows Sentinels or
/// the owner of its slot as a Limiter does. Its calls wait up to a second, because no request waits for them.
///
/// The log has about the last kMaxEntries entries. An entry also leaves after `kept` from the end of its suspension,
/// but never before the entries in front of it. The key expires 31 days after the last entry, or `kept` after the end
/// of the longest suspension if that is later. What Redis loses in a failover is lost; the gateways that had read it
/// keep it.
///
/// Clocks: an entry has the Redis time when it was appended, and times relative to that. A read translates them to this
/// gateway's clock, exact to the time that the two calls take. The clocks of gateways do not matter. If a new master's
/// clock is ahead or behind, suspensions of the old one end as much earlier or later, but none lasts longer than at its
/// beginning.
///
/// `Ban::version` has the milliseconds of the entry's id in the upper 42 bits and its number in the lower 22. An entry
/// that this gateway appends has a higher version than all that it has read or appended, also if the clock of Redis was
/// set back.
class BanLog final : public limit::BanLog {
 public:
  static constexpr std::size_t kMaxEntries = 65'536;
  static constexpr std::size_t kPage = 128;                            ///< entries of one read, at most
  static constexpr std::size_t kMaxName = 256;                         ///< bytes of a limit's name, and of a key
  static constexpr Duration kLongest = std::chrono::hours(24 * 3650);  ///< of a suspension; longer ones are cut

  /// Connects in the background at once; copies `options`. Never blocks. See Limiter for the loop. `kept`: how long an
  /// entry stays after its suspension has ended, at most kLongest.
  BanLog(boost::asio::io_context& loop, const Options& options, Duration kept = std::chrono::hours(24));
  ~BanLog() override;
  BanLog(const BanLog&) = delete;
  BanLog& operator=(const BanLog&) = delete;

  /// Errors: redis::Errc, or invalid_argument for a name or a key that is too long.
  Task<error_code> append(const limit::Ban& ban) override;
  /// One small command if there is no news. If the log lost the entry at `position` (in a failover, or by an operator),
  /// it is read from its beginning again. Errors: redis::Errc. Redis 4, a key of another type or a missing right is
  /// Errc::refused_by_server, with one line in the log for each such cause.
  Task<Result<News>> read(std::string_view position) override;

  Health health() const noexcept;             ///< any thread
  std::uint64_t unreadable() const noexcept;  ///< any thread; entries that no gateway of this version wrote

  /// Calls end with Errc::stopped, also those that wait. When the loop has run out of work, nothing of it runs any
  /// more.
  void stop() override;

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace headgate::redis
