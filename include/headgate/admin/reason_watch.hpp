#pragma once
// Checks several times a second what is wrong with this gateway, and keeps its list of reasons current.

#include "headgate/admin/admin_board.hpp"
#include "headgate/admin/reasons.hpp"
#include "headgate/admin/usual_endpoints.hpp"
#include "headgate/core/clock.hpp"
#include "headgate/keyring/keyring.hpp"
#include "headgate/observe/logs.hpp"
#include "headgate/redis/limiter.hpp"
#include "headgate/services/active_config.hpp"
#include "headgate/services/service.hpp"

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace headgate::admin {

/// Returns the content of /readyz for these reasons.
ReadyReport readiness_of(const Reasons& reasons);

/// Sets or clears the reasons for an outage of Redis; `outage` is null if Redis answers.
void tell_redis(Reasons& reasons, const RedisOutage* outage);
/// Sets or clears the reason for settlements that have waited for more than 30 s.
void tell_settling(Reasons& reasons, const redis::Outstanding& outstanding, Clock::Steady now);
/// Sets the reasons for these upstreams, and clears those of all others.
void tell_upstreams(Reasons& reasons, const std::vector<UpstreamReport>& upstreams);
/// Sets or clears the reason for more gateways than configured. `lasting` is the number of gateways that have been seen
/// for a minute, 0 if unknown; `configured` is redis.instances, where 1 means that it was not set.
void tell_gateways(Reasons& reasons, std::uint32_t lasting, std::uint32_t configured);
/// Sets the reasons for upstreams that refuse requests because there are too many, and clears those of all others.
void tell_shedding(Reasons& reasons, const services::ActiveConfig& active, Clock::Steady now);

/// Sets the reasons for sources of keys whose last reading failed, and clears those of all others.
void tell_keys(Reasons& reasons, const std::vector<keyring::SourceReport>& sources);
void tell_logs(Reasons& reasons, observe::Logs::Failing failing);
/// Sets or clears a reason for lost data; `kind` must be one of the reasons about lost data. `loses` tells whether data
/// is being lost.
void tell_lost(Reasons& reasons, ReasonKind kind, std::string_view subject, bool loses);

/// Tells whether a counter is rising. A counter counts as rising until it has been unchanged for kQuiet.
class RisingCount {
 public:
  using Steady = Clock::Steady;
  static constexpr auto kQuiet = std::chrono::seconds(60);
  /// Returns whether `count` is rising. `now` must never decrease. Counts from before the first call are ignored.
  bool rises(Steady now, std::uint64_t count) noexcept;

 private:
  std::optional<std::uint64_t> before_;
  std::optional<Steady> risen_;
};

/// The watch over this gateway. Used only on the main thread, which runs the loop.
class ReasonWatch final : public services::Service {
 public:
  /// `clock` must outlive this object.
  explicit ReasonWatch(Clock& clock)
      : alarm_(clock.alarm([](void* self) { static_cast<ReasonWatch*>(self)->start(); }, this)) {}
  /// Adds a function that is called at each check. Call this before start().
  void add(std::function<void()> look) { looks_.push_back(std::move(look)); }
  /// Checks at once, and regularly from then on.
  void start() override;
  void stop() override { alarm_.reset(); }

 private:
  std::unique_ptr<Alarm> alarm_;
  std::vector<std::function<void()>> looks_;
};

}  // namespace headgate::admin
