#pragma once
// The ledger in Redis: gateways with one key prefix add to it and read it.

#include "headgate/core/result.hpp"
#include "headgate/core/task.hpp"
#include "headgate/core/time.hpp"
#include "headgate/limit/ledger.hpp"
#include "headgate/redis/limiter.hpp"
#include "headgate/redis/options.hpp"

#include <boost/asio/io_context.hpp>

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace headgate::redis {

/// Hashes at `<prefix>v1:{usage:2026-11-22:07}:3f` (lane 07, its bucket 3f), with about a hundred bytes for each key of
/// a limit and day; beside them `<prefix>v1:{usage:2026-11-22:07}` has the number of the last batch of each gateway. A
/// lane is one slot of a cluster. It needs Redis 4. One for each process; the thread of its loop only, except for what
/// says any thread. It has connections of its own, and follows Sentinels or the owners of its slots as a SharedLimiter
/// does. Its calls wait up to a second, because no request waits for them.
///
/// A sum is exact up to 2^53 - 1, where it stays. What Redis loses in a failover or a restart is lost.
class RedisLedger final : public limit::Ledger {
 public:
  static constexpr std::size_t kMaxFields = 8192;  ///< of a bucket; a day has limit::kBuckets of them

  /// Connects in the background at once; copies `options`. Never blocks. See SharedLimiter for the loop. `sender` names
  /// this process in its batches: no other process has the same, also not one before it.
  RedisLedger(boost::asio::io_context& loop, const RedisOptions& options, std::string sender);
  ~RedisLedger() override;
  RedisLedger(const RedisLedger&) = delete;
  RedisLedger& operator=(const RedisLedger&) = delete;

  /// Errors: redis::Errc. A key of another type or a missing right is Errc::refused_by_server, with one line in the log
  /// for each such cause.
  Task<Result<limit::Use>> add(const limit::LedgerBatch& batch, Duration kept) override;
  Task<Result<std::vector<limit::LedgerBucket>>> read(limit::Day day, unsigned bucket, std::size_t most) override;

  RedisHealth health() const noexcept;  ///< any thread

  /// Calls end with Errc::stopped, also those that wait. When the loop has run out of work, nothing of it runs any
  /// more.
  void stop() override;

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace headgate::redis
