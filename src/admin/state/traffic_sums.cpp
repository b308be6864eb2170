#include "traffic_sums.hpp"

#include "quantile.hpp"

#include "headgate/observe/metrics_family.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace headgate::admin {

using observe::Traffic;

namespace {

template <class Numbers>
void subtract(Numbers& from, const Numbers& what) {
  for (std::size_t i = 0; i < from.size(); ++i) from[i] -= what[i];
}

template <class Numbers>
void add(Numbers& to, const Numbers& what) {
  for (std::size_t i = 0; i < to.size(); ++i) to[i] += what[i];
}

template <class Bounds, class Counts>
TimesTaken times_of(const Bounds& bounds, const Counts& counts) {
  constexpr double kHalf = 0.5, kNearlyAll = 0.95, kAlmostAll = 0.99;
  return {.p50 = within(bounds, counts, kHalf),
          .p95 = within(bounds, counts, kNearlyAll),
          .p99 = within(bounds, counts, kAlmostAll)};
}

}  // namespace

Traffic since(Traffic now, const Traffic& before) {
  for (const auto member : {&Traffic::requests, &Traffic::rejected, &Traffic::received, &Traffic::sent})
    now.*member -= before.*member;
  subtract(now.durations, before.durations);
  subtract(now.overheads, before.overheads);
  subtract(now.classes, before.classes);
  return now;
}

void add_up(Traffic& to, const Traffic& what) {
  for (const auto member : {&Traffic::requests, &Traffic::rejected, &Traffic::received, &Traffic::sent})
    to.*member += what.*member;
  add(to.durations, what.durations);
  add(to.overheads, what.overheads);
  add(to.classes, what.classes);
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

}  // namespace headgate::admin
