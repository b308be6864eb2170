#pragma once
// The fingerprints of limits in Redis, for the gateways with one key prefix.

#include "headgate/limit/fingerprint.hpp"
#include "headgate/redis/limiter.hpp"
#include "headgate/redis/options.hpp"

#include <boost/asio/io_context.hpp>

#include <memory>
#include <string>
#include <vector>

namespace headgate::redis {

/// A sorted set at the key `<prefix>v1:{limits}` and a text for each set of limits, in one slot of a cluster. One for
/// each process; the thread of its loop only. It has connections of its own, and follows Sentinels or the owner of its
/// slot as a SharedLimiter does. Its calls wait up to a second, because no request waits for them. Gateways beyond
/// 1024, and texts beyond kMaxText, are not compared.
class RedisFingerprints final : public limit::Fingerprints {
 public:
  static constexpr std::size_t kMaxText = std::size_t{256} * 1024;  ///< bytes: some thousand limits

  /// Connects in the background at once; copies `options`. Never blocks. See SharedLimiter for the loop. `gateway` is
  /// the name of this gateway, without a space. Two processes with one name count as one gateway.
  RedisFingerprints(boost::asio::io_context& loop, const RedisOptions& options, std::string gateway);
  ~RedisFingerprints() override;
  RedisFingerprints(const RedisFingerprints&) = delete;
  RedisFingerprints& operator=(const RedisFingerprints&) = delete;

  /// Errors: redis::Errc.
  Task<Result<Told>> tell(std::vector<limit::Fingerprint> own, std::string instance) override;
  Task<error_code> leave() override;

  /// Calls end with Errc::stopped. When the loop has run out of work, nothing of it runs any more.
  void stop() override;

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace headgate::redis
