#pragma once
// Turns the counters of other modules into metrics, at each scrape, on the admin thread.

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

/// The Redis counters of one worker's limiter. `limiter` is a unique number: a limiter that a reload makes counts from
/// zero.
struct RedisReport {
  std::uint64_t limiter = 0;
  std::vector<redis::NodeStatus> nodes;
  redis::LocalCounters local;
};
/// headgate_redis_*, headgate_limit_{leased,known_rejections,charged}_total. All of them only rise, although limiters
/// come and go with their counters. What a limiter counts between its last scrape and its end is lost.
void collect_redis(observe::Registry& registry, std::function<std::vector<RedisReport>()> ask);

/// One limit of the configuration, and whether it is decided without Redis now.
struct LimitReport {
  struct Window {
    std::string tier;    ///< empty for a limit without tiers
    std::string window;  ///< "1m"
    std::uint64_t requests = 0;
  };
  std::string limit;
  std::vector<Window> windows;  ///< of all tiers
  bool in_redis = false;
  bool fallback = false;
};
LimitReport report_of(const limit::Limit& limit, redis::RedisHealth redis);
/// headgate_limit_configured_requests and headgate_limit_fallback_active.
void collect_limits(observe::Registry& registry, std::function<std::vector<LimitReport>()> ask);

/// How many keys a limit has in the memory store, and how many it lost.
struct KeysReport {
  std::string limit;
  std::uint64_t tracked = 0;
  std::uint64_t evicted = 0;  ///< since the start
};
/// headgate_limit_tracked_keys and headgate_limit_evicted_keys_total.
void collect_keys(observe::Registry& registry, std::function<std::vector<KeysReport>()> ask);

/// headgate_candidate_tracked_keys: how many counters the candidate has; nothing: there is none.
void collect_candidate(observe::Registry& registry, std::function<std::optional<std::size_t>()> ask);

/// The attempts of all workers that a server has under way.
struct ServerNumbers {
  std::string upstream;
  std::string server;
  std::uint64_t in_flight = 0;
};
/// headgate_upstream_in_flight.
void collect_servers(observe::Registry& registry, std::function<std::vector<ServerNumbers>()> ask);

/// headgate_key_source_up, _keys, _reads_total and _read_timestamp_seconds: the sources of API keys and of issuers'
/// keys.
void collect_sources(observe::Registry& registry, std::function<std::vector<keyring::SourceReport>()> ask);

/// How much one server may have.
struct ServerSize {
  std::uint32_t weight = 1;
  std::uint32_t max_in_flight = 0;  ///< 0: any number
  bool backup = false;
  bool set_by_operator = false;  ///< other than the configuration says
};
/// The end of a health check.
struct LastCheck {
  Instant at{};
  bool passed = true;
  std::string why;  ///< why it failed, a sentence without its dot; may hold text of the server
};
/// The servers of one upstream.
struct UpstreamReport {
  std::string upstream;
  balance::WatchReport watch;
  std::vector<ServerSize> sizes{};                 ///< as watch.servers, or empty
  std::vector<std::optional<LastCheck>> checks{};  ///< the same; not set: it was not checked
};
/// headgate_upstream_server_up and headgate_upstream_circuit_open.
void collect_servers(observe::Registry& registry, std::function<std::vector<UpstreamReport>()> ask);

/// headgate_bans_active and headgate_bans_total; `limits` are those that suspend, also if they suspended nobody yet.
void collect_bans(observe::Registry& registry, const limit::BanTable& bans,
                  std::function<std::vector<std::string>()> limits);
/// headgate_overrides_active.
void collect_overrides(observe::Registry& registry, const limit::OverrideBook& book);
/// Nothing until the first password has come.
void collect_passwords(observe::Registry& registry, const gateway::PasswordPool& passwords);

/// headgate_webhooks_total, _retried_total and _queued. Nothing while there is no webhook.
void collect_webhooks(observe::Registry& registry, std::function<std::optional<notify::WebhookCounts>()> ask);

/// How many gateways share Redis.
struct GatewayCounts {
  std::uint32_t seen = 0;        ///< in the last minute that Redis was there; 0: not known
  std::uint32_t configured = 1;  ///< redis.instances
  std::uint32_t counted() const noexcept { return std::max(seen, configured); }
};
/// headgate_gateways; nothing without Redis.
void collect_gateways(observe::Registry& registry, std::function<std::optional<GatewayCounts>()> ask);

/// headgate_quota_notices_total and _dropped_total.
void collect_notices(observe::Registry& registry, std::function<services::NoticeCounts()> ask);

/// headgate_log_dropped_total.
void collect_logs(observe::Registry& registry, std::function<observe::Logs::Dropped()> ask);

/// headgate_connections_active and _refused_total, headgate_accept_pauses_total and headgate_buffered_bytes.
void collect_connections(observe::Registry& registry, const session::Totals& totals);

/// headgate_build_info and process_*.
void collect_process(observe::Registry& registry);

}  // namespace headgate::admin
