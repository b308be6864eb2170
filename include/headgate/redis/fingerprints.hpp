#pragma once
// The fingerprints of limits in Redis, by which gateways with the same key prefix notice different limits. Used by
// server.

#include "headgate/limit/fingerprint.hpp"
#include "headgate/redis/limiter.hpp"
#include "headgate/redis/options.hpp"

#include <boost/asio/io_context.hpp>

#include <memory>
#include <string>
#include <vector>

namespace headgate::redis {

/// Keeps a sorted set at the key `<prefix>v1:{limits}` and a text for each set of limits, all in one slot of a cluster.
/// One per process; the thread of its loop only. It has connections of its own, and follows Sentinels or the owner of
/// its slot like a SharedLimiter. Its calls wait up to a second, because no request waits for them. Gateways beyond
/// 1024 and texts beyond kMaxText are not compared.
class RedisFingerprints final : public limit::Fingerprints {
 public:
  static constexpr std::size_t kMaxText = std::size_t{256} * 1024;  ///< bytes; enough for several thousand limits

  /// Connects in the background at once; copies `options`. Never blocks. See SharedLimiter for the loop. `gateway` is
  /// the name of this gateway, without a space. Two processes with the same name count as one gateway.
  RedisFingerprints(boost::asio::io_context& loop, const RedisOptions& options, std::string gateway);
  ~RedisFingerprints() override;
  RedisFingerprints(const RedisFingerprints&) = delete;
  RedisFingerprints& operator=(const RedisFingerprints&) = delete;

  /// Errors: redis::Errc.
  Task<Result<Comparison>> tell(std::vector<limit::Fingerprint> own, std::string instance) override;
  Task<error_code> leave() override;

  /// Ends calls with Errc::stopped. When the loop has run out of work, no task of this object runs any more.
  void stop() override;

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace headgate::redis
