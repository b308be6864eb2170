#include "headgate/admin/route_traffic.hpp"

#include "traffic_sums.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace headgate::admin {
using observe::Traffic;

void RouteWindow::add(Steady now, observe::TrafficByRoute traffic) {
  samples_.push_back({now, std::move(traffic)});
  while (samples_.size() > 1 && samples_[1].at <= now - kLongest) samples_.pop_front();
}

RoutesRates RouteWindow::rates(Steady now, const observe::TrafficByRoute& traffic, std::chrono::seconds window) const {
  const auto newer =
      std::find_if(samples_.begin(), samples_.end(), [&](const Sample& each) { return each.at > now - window; });
  const auto& from = newer == samples_.begin() ? samples_.front() : *std::prev(newer);
  RoutesRates out;
  out.over_seconds = std::chrono::duration<double>(now - from.at).count();
  // At least a second, because the rates of the first milliseconds after startup would be thousands of requests per
  // second.
  const double seconds = std::max(out.over_seconds, 1.0);
  Traffic all;
  static const Traffic kNone;
  for (const auto& [route, counted] : traffic) {
    const auto before = from.traffic.find(route);
    const auto did = since(counted, before == from.traffic.end() ? kNone : before->second);
    if (did.requests == 0) continue;
    add_up(all, did);
    out.routes.push_back(rates_of(route, did, seconds));
  }
  out.all = rates_of({}, all, seconds);
  std::stable_sort(out.routes.begin(), out.routes.end(),
                   [](const RouteRates& a, const RouteRates& b) { return a.requests > b.requests; });
  return out;
}

}  // namespace headgate::admin
