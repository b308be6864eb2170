#include "headgate/services/fleet_count.hpp"

#include <algorithm>

namespace headgate::services {

void FleetCount::told(std::uint32_t gateways, Steady now) {
  if (!counts_.empty()) passed_ += std::min<Time>(now - last_, kAway);
  last_ = now;
  counts_.push_back({passed_, gateways});
  while (counts_.size() > 1 && passed_ - counts_[1].at >= kRemembers) counts_.pop_front();
}

std::uint32_t FleetCount::most() const noexcept {
  std::uint32_t out = 0;
  for (const auto& each : counts_) out = std::max(out, each.gateways);
  return out;
}

std::uint32_t FleetCount::lasting() const noexcept {
  if (counts_.empty() || passed_ - counts_.front().at < kRemembers) return 0;
  auto out = counts_.front().gateways;
  for (const auto& each : counts_) out = std::min(out, each.gateways);
  return out;
}

}  // namespace headgate::services
