#include "traffic_rates.hpp"

#include "headgate/observe/metrics_family.hpp"

#include <algorithm>

namespace headgate::server {
namespace {

using Durations = decltype(observe::Traffic::durations);

/// The time that a share of the requests took at most, evenly spread within a bucket, as Prometheus has it. What is
/// beyond the last bound counts as that bound.
std::optional<double> within(const Durations& counts, double share) {
  const auto& bounds = observe::bounds::kRequest;
  double all = 0;
  for (const auto count : counts) all += static_cast<double>(count);
  if (all == 0) return std::nullopt;
  const auto seconds = [&](std::size_t i) { return std::chrono::duration<double>(bounds[i]).count(); };
  double below = 0;
  for (std::size_t i = 0; i < bounds.size(); ++i) {
    const auto here = static_cast<double>(counts[i]);
    if (below + here >= share * all && here > 0) {
      const double from = i == 0 ? 0 : seconds(i - 1);
      return from + (seconds(i) - from) * (share * all - below) / here;
    }
    below += here;
  }
  return seconds(bounds.size() - 1);
}

}  // namespace

void RateWindow::add(Steady now, const observe::Traffic& traffic) {
  samples_.push_back({now, traffic});
  while (samples_.size() > 1 && samples_[1].at <= now - kWindow) samples_.pop_front();
}

Rates RateWindow::rates(Steady now, const observe::Traffic& traffic) const {
  const auto newer =
      std::find_if(samples_.begin(), samples_.end(), [&](const Sample& each) { return each.at > now - kWindow; });
  const auto& from = newer == samples_.begin() ? samples_.front() : *std::prev(newer);
  Rates out;
  out.over_seconds = std::chrono::duration<double>(now - from.at).count();
  // The first requests after a start would be thousands a second, if the milliseconds that it took counted.
  const double seconds = std::max(out.over_seconds, 1.0);
  const auto rate = [&](std::uint64_t observe::Traffic::*member) {
    return static_cast<double>(traffic.*member - from.traffic.*member) / seconds;
  };
  out.requests = rate(&observe::Traffic::requests);
  out.rejected = rate(&observe::Traffic::rejected);
  out.failed = rate(&observe::Traffic::failed);
  out.received = rate(&observe::Traffic::received);
  out.sent = rate(&observe::Traffic::sent);
  Durations counts{};
  for (std::size_t i = 0; i < counts.size(); ++i) counts[i] = traffic.durations[i] - from.traffic.durations[i];
  constexpr double kHalf = 0.5, kNearlyAll = 0.95;
  out.half_within = within(counts, kHalf);
  out.most_within = within(counts, kNearlyAll);
  return out;
}

void TrafficRates::stop() {
  stopped_ = true;
  timer_.cancel();
}

void TrafficRates::arm() {
  timer_.expires_after(RateWindow::kEvery);
  timer_.async_wait([this](const boost::system::error_code& ec) {
    if (ec || stopped_) return;
    {
      const std::lock_guard lock(mutex_);
      window_.add(std::chrono::steady_clock::now(), registry_.traffic());
    }
    arm();
  });
}

Rates TrafficRates::now() const {
  const std::lock_guard lock(mutex_);
  return window_.rates(std::chrono::steady_clock::now(), registry_.traffic());
}

}  // namespace headgate::server
