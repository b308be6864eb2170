// Which fields, cookies and credentials of a request say who or what is counted. Each may stand once: of two, the
// server could read the other one.

#include "headgate/gateway/compiled_config.hpp"
#include "headgate/gateway/cost_source.hpp"
#include "headgate/gateway/each_per.hpp"
#include "headgate/gateway/key_source.hpp"
#include "headgate/gateway/route_edits.hpp"

#include <algorithm>

namespace headgate::gateway {
namespace {

void keep_once(std::vector<std::string>& names) {
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
}

}  // namespace

/// The same for all upstreams of a route that splits its requests: what is read must not depend on the share.
void CompiledConfig::note_reads(Route& route, const RouteOptions& wanted) const {
  Keyed keyed{.limits = {}, .upstreams = {}, .room = nullptr, .split = wanted.split.get()};
  if (route.room) keyed.room = &route.room->options;
  for (const auto& route_limit : route.plan) {
    keyed.limits.push_back(route_limit.limit);
    const auto& exemption = route_limit.ready->exemption;
    if (exemption && !exemption->api_keys.empty()) route.reads.add(Needs::api_key);
    if (const auto& cost = route_limit.cost; cost.from != nullptr && cost.from->callers_write)
      route.counted_headers.push_back(cost.name);
  }
  if (wanted.split) {
    for (const auto& share : wanted.split->shares)
      keyed.upstreams.push_back(&upstreams_[upstream_number(share.upstream)]);
  } else if (!wanted.respond) {
    keyed.upstreams.push_back(&upstreams_[route.upstream]);
  }
  const auto sheds = [&](const auto* upstream) { return upstream->concurrency || upstream->server_queue; };
  const bool may_shed = !wanted.respond && (options_.shedding.loop_lag > Duration(0) ||
                                            std::any_of(keyed.upstreams.begin(), keyed.upstreams.end(), sheds));
  if (may_shed && !options_.shedding.priority_from.empty())
    route.counted_headers.push_back(options_.shedding.priority_from);
  if (wanted.require == Require::jwt || (route.edits && route.edits->reads_token)) route.reads.add(Needs::token);
  if (wanted.require == Require::api_key || identity_.api_key.any_known()) route.reads.add(Needs::api_key);
  note_reads(route, keyed);
}

void CompiledConfig::note_reads(Route& route, const Keyed& keyed) const {
  auto& cookies = route.read_cookies;
  each_per(keyed, [&](const limit::Per& per) {
    const auto needs = per.source->needs;
    if (needs == Needs::field) route.counted_headers.push_back(per.name);
    if (needs == Needs::cookie) cookies.push_back(per.name);
    route.reads.add(needs);
  });
  if (route.room) {
    cookies.push_back(route.room->cookie);
    cookies.push_back(route.room->secure_cookie);
  }
  if (route.reads.has(Needs::api_key) && !identity_.api_key.cookie.empty()) cookies.push_back(identity_.api_key.cookie);
  if (route.reads.has(Needs::token) && identity_.jwt && !identity_.jwt->cookie.empty())
    cookies.push_back(identity_.jwt->cookie);
  keep_once(cookies);
  keep_once(route.counted_headers);
}

}  // namespace headgate::gateway
