#pragma once
// The ledger of billed use in Redis: gateways with the same key prefix add to it and read it. Used by server.

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

/// Keeps hashes at `<prefix>v1:{usage:2026-11-22:07}:3f` (lane 07, bucket 3f), with about a hundred bytes for each key
/// of a limit and day. Beside them `<prefix>v1:{usage:2026-11-22:07}` has the number of the last batch of each gateway.
/// A lane is one slot of a cluster. Needs Redis 4. One per process; the thread of its loop only, except where noted. It
/// has connections of its own, and follows Sentinels or the owners of its slots like a SharedLimiter. Its calls wait up
/// to a second, because no request waits for them.
///
/// A sum is exact up to 2^53 - 1, and does not rise above that. Data that Redis loses in a failover or a restart is
/// lost.
class RedisLedger final : public limit::Ledger {
 public:
  /// maximum number of fields of a bucket; a day has limit::kBuckets buckets
  static constexpr std::size_t kMaxFields = 8192;

  /// Connects in the background at once; copies `options`. Never blocks. See SharedLimiter for the loop. `sender` names
  /// this process in its batches; no other process, including earlier ones, may have the same name.
  RedisLedger(boost::asio::io_context& loop, const RedisOptions& options, std::string sender);
  ~RedisLedger() override;
  RedisLedger(const RedisLedger&) = delete;
  RedisLedger& operator=(const RedisLedger&) = delete;

  /// Adds a batch and returns the use that found no room. Errors: redis::Errc. A key of another type or a missing right
  /// is Errc::refused_by_server, with one log line for each such cause.
  Task<Result<limit::Use>> add(const limit::LedgerBatch& batch, Duration kept) override;
  Task<Result<std::vector<limit::LedgerBucket>>> read(limit::Day day, unsigned bucket, std::size_t most) override;

  RedisHealth health() const noexcept;  ///< any thread

  /// Ends calls with Errc::stopped, including waiting ones. When the loop has run out of work, no task of this object
  /// runs any more.
  void stop() override;

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace headgate::redis
