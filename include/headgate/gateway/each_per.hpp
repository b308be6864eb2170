#pragma once
// Every place where a `per` may be written. Whoever asks what is read of a request to make keys of it asks here, so
// that no place is forgotten: a new one is added to Keyed, or to what Keyed has.

#include "headgate/gateway/split.hpp"
#include "headgate/gateway/upstream_options.hpp"
#include "headgate/gateway/waiting_room.hpp"
#include "headgate/limit/limit.hpp"

#include <vector>

namespace headgate::gateway {

/// All that may have keys of the requests of one route. Views.
struct Keyed {
  std::vector<const limit::Limit*> limits;
  std::vector<const UpstreamOptions*> upstreams;  ///< all that the route's requests may go to
  const WaitingRoom* room = nullptr;
  const Split* split = nullptr;
};

/// Each part of a key.
template <class Take>
void each_per(const std::vector<limit::Per>& key, Take&& take) {
  for (const auto& per : key) take(per);
}

/// What it counts by, also where that is missing, and what names the tier.
template <class Take>
void each_per(const limit::Limit& limit, Take&& take) {
  each_per(limit.per, take);
  for (const auto& instead : limit.if_absent.instead) each_per(instead, take);
  if (limit.tier_from) take(*limit.tier_from);
}

template <class Take>
void each_per(const UpstreamOptions& upstream, Take&& take) {
  each_per(upstream.balance_per, take);
  each_per(upstream.queue_per, take);
}

/// Calls `take` for each `per` of `keyed`; for equal ones more than once.
template <class Take>
void each_per(const Keyed& keyed, Take&& take) {
  for (const auto* limit : keyed.limits) each_per(*limit, take);
  for (const auto* upstream : keyed.upstreams) each_per(*upstream, take);
  if (keyed.room) each_per(keyed.room->per, take);
  if (keyed.split) each_per(keyed.split->by, take);
}

}  // namespace headgate::gateway
