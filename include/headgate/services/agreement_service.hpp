#pragma once
// Which gateways share Redis, and whether they have the same limits: each leaves the fingerprints of its own there.

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

/// Where the fingerprints of this configuration are; null if it has none.
using OpenFingerprints = std::function<std::shared_ptr<limit::Fingerprints>(const config::Config& config)>;
/// Gets the limits that other gateways have in another shape, each with a sentence of its own.
using TellDisagreement = std::function<void(const std::vector<std::pair<std::string, std::string>>& limits)>;
/// Gets how many gateways there are, whenever Redis has said it; an empty count if it is another Redis, or none.
/// `configured` is what the configuration says.
using TellGateways = std::function<void(const FleetCount& count, std::uint32_t configured)>;

/// One for each process, on the main thread.
class AgreementService final : public Service, public std::enable_shared_from_this<AgreementService> {
 public:
  static constexpr Duration kPace = std::chrono::seconds(5);  ///< a third of limit::Fingerprints::kPresent
  /// What Redis said last counts for so long while it does not answer.
  static constexpr Duration kTrusted = std::chrono::seconds(30);

  /// `clock` outlives it.
  AgreementService(Clock& clock, OpenFingerprints open, TellDisagreement tell, TellGateways tell_gateways);
  /// Compares at once.
  void adopt(const std::shared_ptr<const ActiveConfig>& active) override;
  /// The next process may have other limits.
  void drain() override { stop(); }
  /// Takes back what this gateway said.
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
  Clock::Steady answered_{};  ///< when Redis last did
  bool asking_ = false;
  bool again_ = false;  ///< something changed while it was asked
  bool stopped_ = false;
};

}  // namespace headgate::services
