#pragma once
// Offences of callers, and the suspension that begins after a number of them.

#include "headgate/core/clock.hpp"
#include "headgate/core/task.hpp"
#include "headgate/gateway/exchange.hpp"
#include "headgate/limit/ban_table.hpp"
#include "headgate/limit/limiter.hpp"

#include <boost/asio/ip/address.hpp>

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

namespace headgate::gateway {

/// The offences of one worker; its thread only. Offences against a limit in Redis are counted there for all gateways,
/// and no request waits for the result. While Redis is down, they are counted locally.
class Offences : public std::enable_shared_from_this<Offences> {
 public:
  /// Maximum number of concurrent calls to Redis. Further offences are counted locally.
  static constexpr std::size_t kMaxUnderWay = 1024;

  Offences(Clock& clock, limit::Limiter& memory, limit::BanTable& bans) : clock_(clock), memory_(memory), bans_(bans) {}

  /// Counts `x` as an offence of `key`.
  void note(const Exchange& x, const RouteBan& ban, std::string_view key) { note(x.snapshot, client_of(x), ban, key); }
  /// Counts an offence that no request has caused. `ban` belongs to the configuration of `snapshot`.
  void note(const SnapshotPtr& snapshot, const boost::asio::ip::address& client, const RouteBan& ban,
            std::string_view key);
  /// Counts `x` as an offence of `key`. When the call returns, the offence is counted, and a suspension that it causes
  /// has begun. Waits for Redis at most as long as any other call.
  Task<void> note_now(const Exchange& x, const RouteBan& ban, std::string_view key);
  /// Returns whether note_now() would begin a suspension. Counts nothing.
  Task<bool> would_suspend(const Exchange& x, const RouteBan& ban, std::string_view key);
  /// Suppresses the events of suspensions, for a candidate whose suspensions affect no one.
  void keep_quiet() { quiet_ = true; }
  /// Stops counting, and prevents suspensions by calls that have not returned yet.
  void stop() { stopped_ = true; }

 private:
  /// An offence that is counted in Redis, with everything that the call needs.
  struct Remote {
    std::shared_ptr<limit::RemoteLimiter> redis;
    std::shared_ptr<const CompiledConfig> compiled;  ///< owns `policy`
    const limit::BanPolicy* policy = nullptr;
    std::string key;
    boost::asio::ip::address client;
    bool observed = false;
  };

  /// Returns the address of the client; for a call of the rate limit service, that of the proxy.
  static const boost::asio::ip::address& client_of(const Exchange& x) noexcept {
    return x.rate_limit == nullptr ? x.caller.address : x.peer;
  }
  bool counts_in_redis(const RouteBan& ban) const noexcept;
  static Task<void> count_in_redis(std::shared_ptr<Offences> self, Remote offence);
  void count_here(const limit::BanPolicy& policy, std::string_view key, bool observed,
                  const boost::asio::ip::address& client);
  void suspend(const limit::BanPolicy& policy, std::string_view key, bool observed,
               const boost::asio::ip::address& client);

  Clock& clock_;
  limit::Limiter& memory_;
  limit::BanTable& bans_;
  std::size_t under_way_ = 0;
  bool stopped_ = false;
  bool quiet_ = false;
};

}  // namespace headgate::gateway
