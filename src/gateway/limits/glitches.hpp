#pragma once
// What clients of HTTP/2 do without need, as limits count it: streams that they begin and reset, frames that say
// nothing, heads that are malformed. A client that does more of it than such a limit allows has committed an offence,
// and is suspended as for any other, on every gateway that shares the limit.

#include "offences.hpp"

#include <cstdint>
#include <memory>

namespace headgate::gateway {

/// Of one worker; its thread only.
class Glitches : public std::enable_shared_from_this<Glitches> {
 public:
  /// Calls to Redis at once. Beyond it they are counted here.
  static constexpr std::size_t kMaxUnderWay = 256;

  Glitches(Clock& clock, limit::Limiter& memory, limit::BanTable& bans, std::shared_ptr<Offences> offences)
      : clock_(clock), memory_(memory), bans_(bans), offences_(std::move(offences)) {}

  /// This client of ours did it so often since the last call. A trusted proxy does it for others, and is let alone.
  void count(const SnapshotPtr& snapshot, const boost::asio::ip::address& client, std::uint32_t times);
  /// Calls under way count nothing any more.
  void stop() { stopped_ = true; }

 private:
  /// One decision, with all that it needs.
  struct Batch {
    SnapshotPtr snapshot;
    const RouteBan* ban = nullptr;
    const CompiledTier* tier = nullptr;  ///< of the snapshot, too
    std::string key;
    boost::asio::ip::address client;
    std::uint32_t times = 0;
  };
  static Task<void> count_in_redis(std::shared_ptr<Glitches> self, Batch batch);
  void count_here(const Batch& batch, const std::vector<limit::Rule>& rules, observe::Source source);
  void count_without_redis(const Batch& batch);
  void decided(const Batch& batch, bool allowed, observe::Source source);

  Clock& clock_;
  limit::Limiter& memory_;
  limit::BanTable& bans_;
  std::shared_ptr<Offences> offences_;
  std::size_t under_way_ = 0;
  bool stopped_ = false;
};

}  // namespace headgate::gateway
