#pragma once
// Glitches: needless work caused by HTTP/2 clients, which limits can count. Examples are streams that are opened and
// reset, frames without content, and malformed heads. A client that exceeds such a limit commits an offence and is
// suspended like any other, on every gateway that shares the limit.

#include "offences.hpp"

#include <cstdint>
#include <memory>

namespace headgate::gateway {

/// The glitches of one worker; its thread only.
class Glitches : public std::enable_shared_from_this<Glitches> {
 public:
  /// Maximum number of concurrent calls to Redis. Further glitches are counted locally.
  static constexpr std::size_t kMaxUnderWay = 256;

  Glitches(Clock& clock, limit::Limiter& memory, limit::BanTable& bans, std::shared_ptr<Offences> offences)
      : clock_(clock), memory_(memory), bans_(bans), offences_(std::move(offences)) {}

  /// Counts `times` glitches of a client, which happened since the last call. The glitches of a trusted proxy are
  /// ignored, because its clients cause them.
  void count(const SnapshotPtr& snapshot, const boost::asio::ip::address& client, std::uint32_t times);
  /// Stops counting, and ignores the results of calls that have not returned yet.
  void stop() { stopped_ = true; }

 private:
  /// The checks of one client's glitches, with everything that the call to Redis needs.
  struct Batch {
    SnapshotPtr snapshot;
    const RouteBan* ban = nullptr;
    const CompiledTier* tier = nullptr;  ///< owned by the snapshot
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
