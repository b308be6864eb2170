#pragma once
// One configuration after another: what is in force, what a worker makes of it, and what is kept across a reload.

#include "headgate/config/config.hpp"
#include "headgate/gateway/snapshot.hpp"
#include "headgate/server/gateway_service.hpp"

#include <memory>

namespace headgate::server {

/// A configuration and what all workers share of it. Immutable.
struct InForce {
  config::Config config;
  std::shared_ptr<const gateway::Site> site;
};

std::shared_ptr<const InForce> put_in_force(config::Config config);

/// Reads again; null where that cannot be used, and the log says why.
std::shared_ptr<const InForce> next_in_force(const ReadAgain& read_again);

/// In the log: what is in force now, and what waits for a restart.
void say_what_changed(const InForce& before, const InForce& after);

/// A worker's snapshot before, and the configuration it was made of.
struct Kept {
  const config::Config& config;
  const gateway::Snapshot& snapshot;
};

/// A worker's snapshot; upstreams and Redis connections whose options are as they were are taken from `kept` (null at
/// the start), with their pools. Worker thread, or before it runs.
gateway::SnapshotPtr make_snapshot(const InForce& in_force, const Kept* kept, upstream::Environment environment,
                                   observe::Registry& registry, observe::Writer worker);

}  // namespace headgate::server
