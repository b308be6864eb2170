#pragma once
// A configuration in force on one worker: what a reload swaps whole. An exchange keeps the one it began under.

#include "headgate/gateway/compiled_config.hpp"
#include "headgate/gateway/exchange_counters.hpp"
#include "headgate/gateway/key_overrides.hpp"
#include "headgate/limit/limiter.hpp"
#include "headgate/upstream/upstream.hpp"

#include <boost/smart_ptr/local_shared_ptr.hpp>

#include <functional>
#include <memory>
#include <vector>

namespace headgate::gateway {

/// Immutable but for what lives inside its parts; one worker's own, so that counting its users costs no atomic. What a
/// reload leaves as it was (a server's pool, a Redis connection) is shared with the snapshot before.
struct Snapshot {
  std::shared_ptr<const CompiledConfig> compiled;              ///< shared by all workers
  std::vector<std::shared_ptr<upstream::Upstream>> upstreams;  ///< in the order of the site's indices
  std::shared_ptr<limit::RemoteLimiter> redis;                 ///< null only where no limit is counted in Redis
  std::shared_ptr<const ExchangeCounters> counters;
  std::shared_ptr<const KeyOverrides> key_overrides;  ///< shared by all workers
  /// Of keys that a token named and its issuer's set does not have, where somebody can fetch it again; else empty. Any
  /// thread.
  std::function<void(std::size_t issuer)> missing_key;
};

using SnapshotPtr = boost::local_shared_ptr<const Snapshot>;

}  // namespace headgate::gateway
