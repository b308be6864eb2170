#pragma once
// Finds the gateways that share Redis, and compares their limits: each gateway stores the fingerprints of its limits in
// Redis.

#include "headgate/config/config.hpp"
#include "headgate/core/clock.hpp"
#include "headgate/core/task.hpp"
#include "headgate/limit/fingerprint.hpp"
#include "headgate/services/fleet_count.hpp"
#include "headgate/services/service.hpp"

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace headgate::services {

/// Returns the store of the fingerprints for a configuration; null if the configuration needs none.
using OpenFingerprints = std::function<std::shared_ptr<limit::Fingerprints>(const config::Config& config)>;
/// Receives the limits that other gateways configure differently, each with a sentence.
using TellDisagreement = std::function<void(const std::vector<std::pair<std::string, std::string>>& limits)>;
/// Receives the number of gateways whenever Redis has reported it. The count is empty after a change of Redis, or
/// without Redis. `configured` is the configured number.
using TellGateways = std::function<void(const FleetCount& count, std::uint32_t configured)>;

/// The service that compares the limits of the gateways. One per process; main thread only.
class AgreementService final : public Service, public std::enable_shared_from_this<AgreementService> {
 public:
  /// Interval of the comparison, a third of limit::Fingerprints::kPresent.
  static constexpr Duration kPace = std::chrono::seconds(5);
  /// Time for which the last report of Redis stays valid while Redis does not answer.
  static constexpr Duration kTrusted = std::chrono::seconds(30);

  /// `clock` must outlive this object.
  AgreementService(Clock& clock, OpenFingerprints open, TellDisagreement tell, TellGateways tell_gateways);
  /// Compares at once.
  void adopt(const std::shared_ptr<const ActiveConfig>& active) override;
  /// Removes this gateway's fingerprints, because the next process may have other limits.
  void drain() override { stop(); }
  /// Removes the fingerprints of this gateway.
  void stop() override;

 private:
  static Task<void> compare(std::shared_ptr<AgreementService> self, std::shared_ptr<limit::Fingerprints> shared);
  static Task<void> leave(std::shared_ptr<limit::Fingerprints> shared);
  void tick();
  void told(const std::vector<limit::Disagreement>& differ);
  void nothing_to_compare();
  void tell_count() { tell_gateways_(count_, config_->redis ? config_->redis->instances : 1); }

  Clock& clock_;
  const OpenFingerprints open_;
  const TellDisagreement tell_;
  const TellGateways tell_gateways_;
  FleetCount count_;
  std::unique_ptr<Alarm> alarm_;
  std::shared_ptr<const config::Config> config_;
  std::shared_ptr<limit::Fingerprints> shared_;
  std::vector<limit::Fingerprint> own_;
  Clock::Steady answered_{};  ///< Time of the last answer of Redis.
  bool asking_ = false;
  bool again_ = false;  ///< True if something changed while a call was in progress.
  bool stopped_ = false;
};

}  // namespace headgate::services
