#include "headgate/admin/traffic_rates.hpp"

#include "quantile.hpp"

#include "headgate/observe/metrics_family.hpp"

#include <algorithm>
#include <utility>

namespace headgate::admin {
namespace {

using Durations = decltype(observe::Traffic::durations);

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
  // At least a second, because the rates of the first milliseconds after startup would be thousands of requests per
  // second.
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
  out.half_within = within(observe::bounds::kRequest, counts, kHalf);
  out.most_within = within(observe::bounds::kRequest, counts, kNearlyAll);
  return out;
}

TrafficRates::TrafficRates(Clock& clock, const observe::Registry& registry)
    : clock_(clock),
      registry_(registry),
      alarm_(clock.alarm([](void* self) { static_cast<TrafficRates*>(self)->look(); }, this)),
      window_(clock.steady()),
      routes_(clock.steady()),
      history_(clock.steady()) {}

void TrafficRates::look() {
  auto by_route = registry_.traffic_by_route();
  {
    const std::lock_guard lock(mutex_);
    const auto now = clock_.steady();
    window_.add(now, registry_.traffic());
    history_.add(clock_.wall(), now, by_route);
    routes_.add(now, std::move(by_route));
  }
  alarm_->set(RateWindow::kEvery);
}

Rates TrafficRates::now() const {
  const std::lock_guard lock(mutex_);
  return window_.rates(clock_.steady(), registry_.traffic());
}

RoutesRates TrafficRates::by_route(std::chrono::seconds window) const {
  const auto traffic = registry_.traffic_by_route();
  const std::lock_guard lock(mutex_);
  return routes_.rates(clock_.steady(), traffic, window);
}

std::vector<TrafficHistory::Row> TrafficRates::history() const {
  const std::lock_guard lock(mutex_);
  return history_.rows();
}

}  // namespace headgate::admin
