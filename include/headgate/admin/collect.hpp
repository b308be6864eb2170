#pragma once
// Turns the counters of other modules into metrics at each scrape, on the admin thread.

#include "headgate/balance/watch.hpp"
#include "headgate/gateway/basic/password_pool.hpp"
#include "headgate/keyring/keyring.hpp"
#include "headgate/limit/ban_table.hpp"
#include "headgate/limit/limit.hpp"
#include "headgate/limit/override_book.hpp"
#include "headgate/notify/webhook.hpp"
#include "headgate/observe/logs.hpp"
#include "headgate/observe/metrics.hpp"
#include "headgate/redis/limiter.hpp"
#include "headgate/services/quota_service.hpp"
#include "headgate/session/sessions.hpp"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace headgate::admin {

/// The Redis counters of one worker's limiter. `limiter` is a unique number of the limiter, because the counters of a
/// limiter that a reload creates start at zero.
struct RedisReport {
  std::uint64_t limiter = 0;
  std::vector<redis::NodeStatus> nodes;
  redis::LocalCounters local;
  redis::Outstanding outstanding{};
};
/// Sums up the settlements that wait, with the time of the oldest one.
redis::Outstanding outstanding_of(const std::vector<RedisReport>& reports);
/// Adds headgate_redis_*, headgate_limit_settlements_* and headgate_limit_{leased,known_rejections,charged}_total. The
/// totals only rise, although limiters and their counters come and go. Counts between a limiter's last scrape and its
/// end are lost.
void collect_redis(observe::Registry& registry, std::function<std::vector<RedisReport>()> ask);

/// One limit of the configuration, and whether it is currently decided without Redis.
struct LimitReport {
  struct Window {
    std::string tier;    ///< Name of the tier; empty for a limit without tiers.
    std::string window;  ///< Length of the window, for example "1m".
    std::uint64_t requests = 0;
  };
  std::string limit;
  std::vector<Window> windows;  ///< Windows of all tiers.
  bool in_redis = false;
  bool fallback = false;
};
LimitReport report_of(const limit::Limit& limit, redis::RedisHealth redis);
/// Adds headgate_limit_configured_requests and headgate_limit_fallback_active.
void collect_limits(observe::Registry& registry, std::function<std::vector<LimitReport>()> ask);

/// Number of keys of a limit in the memory store, and how many were evicted.
struct KeysReport {
  std::string limit;
  std::uint64_t tracked = 0;
  std::uint64_t evicted = 0;  ///< Number of keys evicted since startup.
};
/// Adds headgate_limit_tracked_keys and headgate_limit_evicted_keys_total.
void collect_keys(observe::Registry& registry, std::function<std::vector<KeysReport>()> ask);

/// Adds headgate_candidate_tracked_keys: the number of the candidate's counters; absent without a candidate.
void collect_candidate(observe::Registry& registry, std::function<std::optional<std::size_t>()> ask);

/// Attempts in flight to one server, of all workers.
struct ServerNumbers {
  std::string upstream;
  std::string server;
  std::uint64_t in_flight = 0;
};
/// Adds headgate_upstream_in_flight.
void collect_servers(observe::Registry& registry, std::function<std::vector<ServerNumbers>()> ask);

/// Adds headgate_key_source_up, _keys, _reads_total and _read_timestamp_seconds for the sources of API keys and of
/// issuers' keys.
void collect_sources(observe::Registry& registry, std::function<std::vector<keyring::SourceReport>()> ask);

/// The weight and bound of one server.
struct ServerSize {
  std::uint32_t weight = 1;
  std::uint32_t max_in_flight = 0;  ///< Bound of the server; 0 if there is none.
  bool backup = false;
  bool set_by_operator = false;  ///< True if this size differs from the configuration.
};
/// The result of a health check.
struct LastCheck {
  Instant at{};
  bool passed = true;
  /// Reason why the check failed, a sentence without its full stop; may contain text from the server.
  std::string why;
};
/// The servers of one upstream.
struct UpstreamReport {
  std::string upstream;
  balance::WatchReport watch;
  std::vector<ServerSize> sizes{};  ///< In the order of watch.servers; may be empty.
  /// The last check of each server, in the order of watch.servers; not set if the server has not been checked.
  std::vector<std::optional<LastCheck>> checks{};
};
/// Adds headgate_upstream_server_up and headgate_upstream_circuit_open.
void collect_servers(observe::Registry& registry, std::function<std::vector<UpstreamReport>()> ask);

/// Adds headgate_bans_active and headgate_bans_total. `limits` are all limits that suspend, including those without any
/// suspension yet.
void collect_bans(observe::Registry& registry, const limit::BanTable& bans,
                  std::function<std::vector<std::string>()> limits);
/// Adds headgate_overrides_active.
void collect_overrides(observe::Registry& registry, const limit::OverrideBook& book);
/// Adds the metrics of password checks. They are absent until the first password arrives.
void collect_passwords(observe::Registry& registry, const gateway::PasswordPool& passwords);

/// Adds headgate_webhooks_total, _retried_total and _queued; absent without a webhook.
void collect_webhooks(observe::Registry& registry, std::function<std::optional<notify::WebhookCounts>()> ask);

/// How many gateways share Redis.
struct GatewayCounts {
  std::uint32_t seen = 0;        ///< Gateways seen in the last minute in which Redis answered; 0 if unknown.
  std::uint32_t configured = 1;  ///< Number of gateways in the configuration (redis.instances).
  std::uint32_t counted() const noexcept { return std::max(seen, configured); }
};
/// Adds headgate_gateways; absent without Redis.
void collect_gateways(observe::Registry& registry, std::function<std::optional<GatewayCounts>()> ask);

/// Adds headgate_quota_notices_total and _dropped_total.
void collect_notices(observe::Registry& registry, std::function<services::NoticeCounts()> ask);

/// Adds headgate_log_dropped_total.
void collect_logs(observe::Registry& registry, std::function<observe::Logs::Dropped()> ask);

/// Adds headgate_connections_active and _refused_total, headgate_accept_pauses_total and headgate_buffered_bytes.
void collect_connections(observe::Registry& registry, const session::Totals& totals);

/// Adds headgate_build_info and process_*.
void collect_process(observe::Registry& registry);

}  // namespace headgate::admin
