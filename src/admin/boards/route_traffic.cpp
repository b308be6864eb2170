#include "headgate/admin/route_traffic.hpp"

#include "quantile.hpp"

#include "headgate/observe/metrics_family.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace headgate::admin {
namespace {

using observe::Traffic;

template <class Numbers>
void subtract(Numbers& from, const Numbers& what) {
  for (std::size_t i = 0; i < from.size(); ++i) from[i] -= what[i];
}

Traffic since(Traffic now, const Traffic& before) {
  for (const auto member : {&Traffic::requests, &Traffic::rejected, &Traffic::received, &Traffic::sent})
    now.*member -= before.*member;
  subtract(now.durations, before.durations);
  subtract(now.overheads, before.overheads);
  subtract(now.classes, before.classes);
  return now;
}

template <class Numbers>
void add(Numbers& to, const Numbers& what) {
  for (std::size_t i = 0; i < to.size(); ++i) to[i] += what[i];
}

void add(Traffic& to, const Traffic& what) {
  for (const auto member : {&Traffic::requests, &Traffic::rejected, &Traffic::received, &Traffic::sent})
    to.*member += what.*member;
  add(to.durations, what.durations);
  add(to.overheads, what.overheads);
  add(to.classes, what.classes);
}

template <class Bounds, class Counts>
TimesTaken times_of(const Bounds& bounds, const Counts& counts) {
  constexpr double kHalf = 0.5, kNearlyAll = 0.95, kAlmostAll = 0.99;
  return {.p50 = within(bounds, counts, kHalf),
          .p95 = within(bounds, counts, kNearlyAll),
          .p99 = within(bounds, counts, kAlmostAll)};
}

RouteRates rates_of(std::string route, const Traffic& did, double seconds) {
  const auto rate = [seconds](std::uint64_t count) { return static_cast<double>(count) / seconds; };
  RouteRates out{.route = std::move(route),
                 .requests = rate(did.requests),
                 .rejected = rate(did.rejected),
                 .received = rate(did.received),
                 .sent = rate(did.sent),
                 .whole = times_of(observe::bounds::kRequest, did.durations),
                 .own = times_of(observe::bounds::kOverhead, did.overheads)};
  std::transform(did.classes.begin(), did.classes.end(), out.by_status.begin(), rate);
  return out;
}

}  // namespace

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
  // The first requests after a start would be thousands a second, if the milliseconds that it took counted.
  const double seconds = std::max(out.over_seconds, 1.0);
  Traffic all;
  static const Traffic kNone;
  for (const auto& [route, counted] : traffic) {
    const auto before = from.traffic.find(route);
    const auto did = since(counted, before == from.traffic.end() ? kNone : before->second);
    if (did.requests == 0) continue;
    admin::add(all, did);
    out.routes.push_back(rates_of(route, did, seconds));
  }
  out.all = rates_of({}, all, seconds);
  std::stable_sort(out.routes.begin(), out.routes.end(),
                   [](const RouteRates& a, const RouteRates& b) { return a.requests > b.requests; });
  return out;
}

}  // namespace headgate::admin
