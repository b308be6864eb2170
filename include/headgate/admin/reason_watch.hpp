#pragma once
// Looks several times a second at what can be wrong with this gateway, and keeps its list of reasons current.

#include "headgate/admin/admin_board.hpp"
#include "headgate/admin/reasons.hpp"
#include "headgate/admin/usual_endpoints.hpp"
#include "headgate/core/clock.hpp"
#include "headgate/keyring/keyring.hpp"
#include "headgate/observe/logs.hpp"
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

/// What /readyz says of these reasons.
ReadyReport readiness_of(const Reasons& reasons);

/// Redis does not answer, or does (null).
void tell_redis(Reasons& reasons, const RedisOutage* outage);
/// What is wrong with these upstreams; all others are well.
void tell_upstreams(Reasons& reasons, const std::vector<UpstreamReport>& upstreams);
/// Which of its upstreams refuse requests because there are too many.
/// `lasting`: how many gateways have been there for a minute, 0 if that is not known; `configured`: redis.instances,
/// where 1 says nothing.
void tell_gateways(Reasons& reasons, std::uint32_t lasting, std::uint32_t configured);
void tell_shedding(Reasons& reasons, const services::ActiveConfig& active, Clock::Steady now);

/// The sources of keys whose last reading failed; all others are well.
void tell_keys(Reasons& reasons, const std::vector<keyring::SourceReport>& sources);
void tell_logs(Reasons& reasons, observe::Logs::Failing failing);
/// `kind` is one that is about losing things.
void tell_lost(Reasons& reasons, ReasonKind kind, std::string_view subject, bool loses);

/// Whether a counter rises. It has risen until it stood still for a while.
class RisingCount {
 public:
  using Steady = Clock::Steady;
  static constexpr auto kQuiet = std::chrono::seconds(60);
  /// Times never fall. What was counted before the first call does not matter.
  bool rises(Steady now, std::uint64_t count) noexcept;

 private:
  std::optional<std::uint64_t> before_;
  std::optional<Steady> risen_;
};

/// Main thread only, which runs the loop.
class ReasonWatch final : public services::Service {
 public:
  /// The clock outlives it.
  explicit ReasonWatch(Clock& clock)
      : alarm_(clock.alarm([](void* self) { static_cast<ReasonWatch*>(self)->start(); }, this)) {}
  /// Calls `look` at each look, from start() on. Before it.
  void add(std::function<void()> look) { looks_.push_back(std::move(look)); }
  /// Looks at once, and from now on.
  void start() override;
  void stop() override { alarm_.reset(); }

 private:
  std::unique_ptr<Alarm> alarm_;
  std::vector<std::function<void()>> looks_;
};

}  // namespace headgate::admin
