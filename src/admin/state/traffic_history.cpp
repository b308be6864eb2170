#include "headgate/admin/traffic_history.hpp"

#include "traffic_sums.hpp"

namespace headgate::admin {

void TrafficHistory::add(Instant now, Steady steady, const observe::TrafficByRoute& traffic) {
  if (steady - begun_ < kEvery) return;
  observe::Traffic all;
  for (const auto& [route, counted] : traffic) add_up(all, counted);
  const auto seconds = std::chrono::duration<double>(steady - begun_).count();
  if (rows_.size() == kBuckets) rows_.pop_front();
  rows_.push_back({.end = now, .seconds = seconds, .all = rates_of({}, since(all, before_), seconds)});
  before_ = all;
  begun_ = steady;
}

}  // namespace headgate::admin
