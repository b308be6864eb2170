#pragma once
// Every place where a `per` may be written. All code that needs to know which parts of a request become keys uses this
// list, so that no place is forgotten. A new place is added to Keyed, or to a type that Keyed contains.

#include "headgate/gateway/split.hpp"
#include "headgate/gateway/upstream_options.hpp"
#include "headgate/gateway/waiting_room.hpp"
#include "headgate/limit/limit.hpp"

#include <vector>

namespace headgate::gateway {

/// The parts of one route that may have keys. Views.
struct Keyed {
  std::vector<const limit::Limit*> limits;
  std::vector<const UpstreamOptions*> upstreams;  ///< all upstreams that requests of the route may go to
  const WaitingRoom* room = nullptr;
  const Split* split = nullptr;
};

/// Calls `take` for each part of a key.
template <class Take>
void each_per(const std::vector<limit::Per>& key, Take&& take) {
  for (const auto& per : key) take(per);
}

/// Calls `take` for each part of a limit's keys, of the keys that replace a missing one, and of the sources
/// that name its tier or size.
template <class Take>
void each_per(const limit::Limit& limit, Take&& take) {
  each_per(limit.per, take);
  for (const auto& instead : limit.if_absent.instead) each_per(instead, take);
  if (limit.tier_from) take(*limit.tier_from);
  if (limit.size_from) take(limit.size_from->from);
}

template <class Take>
void each_per(const UpstreamOptions& upstream, Take&& take) {
  each_per(upstream.balance_per, take);
  each_per(upstream.queue_per, take);
}

/// Calls `take` for each `per` of `keyed`. A `per` that is written in several places may be passed several times.
template <class Take>
void each_per(const Keyed& keyed, Take&& take) {
  for (const auto* limit : keyed.limits) each_per(*limit, take);
  for (const auto* upstream : keyed.upstreams) each_per(*upstream, take);
  if (keyed.room) each_per(keyed.room->per, take);
  if (keyed.split) each_per(keyed.split->by, take);
}

}  // namespace headgate::gateway
