#pragma once
// The marks of notices in Redis: of the gateways with one key prefix, one tells each notice.

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

/// A small text at the key `<prefix>v1:notice:{<id>}` for each notice, spread over the slots of a cluster. One for each
/// process; the thread of its loop only. It has connections of its own, and follows Sentinels or the owners of slots as
/// a SharedLimiter does. Its calls wait up to a second, because no request waits for them.
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

  /// Calls end with Errc::stopped. When the loop has run out of work, nothing of it runs any more.
  void stop() override;

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace headgate::redis
