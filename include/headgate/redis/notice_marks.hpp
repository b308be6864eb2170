#pragma once
// The marks of notices in Redis, which make sure that only one of the gateways with the same key prefix sends each
// notice. Used by server.

#include "headgate/core/result.hpp"
#include "headgate/core/task.hpp"
#include "headgate/core/time.hpp"
#include "headgate/limit/notice.hpp"
#include "headgate/redis/limiter.hpp"
#include "headgate/redis/options.hpp"

#include <boost/asio/io_context.hpp>

#include <memory>
#include <string>

namespace headgate::redis {

/// Keeps a small text at the key `<prefix>v1:notice:{<id>}` for each notice, spread over the slots of a cluster. One
/// per process; the thread of its loop only. It has connections of its own, and follows Sentinels or the owners of
/// slots like a SharedLimiter. Its calls wait up to a second, because no request waits for them.
class RedisNoticeMarks final : public limit::NoticeMarks {
 public:
  /// Connects in the background at once; copies `options`. Never blocks. See SharedLimiter for the loop.
  RedisNoticeMarks(boost::asio::io_context& loop, const RedisOptions& options);
  ~RedisNoticeMarks() override;
  RedisNoticeMarks(const RedisNoticeMarks&) = delete;
  RedisNoticeMarks& operator=(const RedisNoticeMarks&) = delete;

  /// Errors: redis::Errc.
  Task<Result<Answer>> take(std::string id, Duration length) override;
  Task<error_code> hold(std::string id, Duration length) override;
  Task<error_code> told(std::string id, Duration length) override;

  /// Ends calls with Errc::stopped. When the loop has run out of work, no task of this object runs any more.
  void stop() override;

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace headgate::redis
