// Which fields and cookies of a request say who or what is counted: of two, the server could read the other one.

#include "headgate/gateway/compiled_config.hpp"
#include "headgate/gateway/key_source.hpp"

#include <algorithm>

namespace headgate::gateway {
namespace {

/// Calls `take` for each part of each key that a request of the route has in a limit, a room, a queue or a choice of
/// servers.
template <class Take>
void each_part(const Route& route, Take take) {
  const auto all = [&take](const std::vector<limit::Per>& parts) { std::for_each(parts.begin(), parts.end(), take); };
  if (route.room) all(route.room->options.per);
  if (route.balance_per) all(*route.balance_per);
  if (route.queue) all(route.queue->queue_per);
  for (const auto& route_limit : route.plan) {
    const auto& limit = *route_limit.limit;
    all(limit.per);
    for (const auto& instead : limit.if_absent.instead) all(instead);
    if (limit.tier_from) take(*limit.tier_from);
  }
}

void keep_once(std::vector<std::string>& names) {
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
}

}  // namespace

void CompiledConfig::note_counted_headers(Route& route) const {
  auto& names = route.counted_headers;
  each_part(route, [&names](const limit::Per& per) {
    if (per.source->needs == Needs::field) names.push_back(per.name);
  });
  for (const auto& route_limit : route.plan)
    if (route_limit.cost.from == Cost::From::request_header) names.push_back(route_limit.cost.header);
  if (route.sheds && !options_.shedding.priority_from.empty()) names.push_back(options_.shedding.priority_from);
  keep_once(names);
}

void CompiledConfig::note_read_cookies(Route& route) const {
  auto& names = route.read_cookies;
  each_part(route, [&names](const limit::Per& per) {
    if (per.source->needs == Needs::cookie) names.push_back(per.name);
  });
  if (route.room) {
    names.push_back(route.room->cookie);
    names.push_back(route.room->secure_cookie);
  }
  if (route.reads_key && !identity_.api_key.cookie.empty()) names.push_back(identity_.api_key.cookie);
  if (route.reads_token && identity_.jwt && !identity_.jwt->cookie.empty()) names.push_back(identity_.jwt->cookie);
  keep_once(names);
}

}  // namespace headgate::gateway
