#pragma once
// The active configuration on one worker. A reload replaces the whole snapshot; an exchange keeps the one that it began
// with.

#include "headgate/gateway/active_credentials.hpp"
#include "headgate/gateway/compiled_config.hpp"
#include "headgate/gateway/exchange_counters.hpp"
#include "headgate/gateway/override_table.hpp"
#include "headgate/limit/limiter.hpp"
#include "headgate/room/room.hpp"
#include "headgate/upstream/retry_budget.hpp"
#include "headgate/upstream/upstream.hpp"

#include <boost/smart_ptr/local_shared_ptr.hpp>

#include <functional>
#include <memory>
#include <vector>

namespace headgate::gateway {

class Candidate;

/// The snapshot of one worker. Its members do not change; the objects behind them may. Each worker has its own, so that
/// the reference count needs no atomics. Parts that a reload does not change (pools of an upstream, Redis connections)
/// are shared with the previous snapshot.
struct Snapshot {
  std::shared_ptr<const CompiledConfig> compiled;              ///< the configuration, shared by all workers
  std::vector<std::shared_ptr<upstream::Upstream>> upstreams;  ///< the upstreams in the order of Route::upstream
  /// This worker's part of the upstreams' retry budgets; null for an upstream whose requests are not retried.
  std::vector<std::shared_ptr<upstream::RetryShare>> retries;
  std::shared_ptr<limit::RemoteLimiter> redis;  ///< limiter in Redis; null only if no limit is counted there
  std::shared_ptr<room::RemoteRooms> rooms;     ///< rooms in Redis; null only if no room is there
  std::shared_ptr<const ExchangeCounters> counters;
  std::shared_ptr<const ActiveCredentials> credentials;  ///< the credentials, shared by all workers
  std::shared_ptr<const OverrideTable> overrides;        ///< overrides, shared by all workers; null if there are none
  /// Called when a token names a key that its issuer's key set lacks, so that the set can be fetched again. Empty if no
  /// set can be fetched. Any thread.
  std::function<void(std::size_t issuer)> missing_key;
  std::shared_ptr<Candidate> candidate;  ///< the candidate of this worker; null if there is none
};

using SnapshotPtr = boost::local_shared_ptr<const Snapshot>;

}  // namespace headgate::gateway
