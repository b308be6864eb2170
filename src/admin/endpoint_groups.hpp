#pragma once
// The endpoints of a gateway's admin interface, grouped by subject; endpoints_of() joins them. All arguments must
// outlive the admin interface.

#include "headgate/admin/endpoints.hpp"
#include "headgate/admin/upstream_queues.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace headgate::admin {

class KeyReader;
class KeyUse;

/// GET /api/v1/status: the state of this gateway.
AdminEndpoint status_endpoint(const AdminBoard& board, const Reasons& reasons, const gateway::FleetSize& fleet,
                              const OperatorBoard& operators, const observe::Logs& logs, const TrafficRates& rates);
/// GET /api/v1/config and /api/v1/config/diff: the configuration in force, and how it differs from the file.
/// `read_again` is called on the side thread, which stops before the admin interface.
std::vector<AdminEndpoint> config_endpoints(OperatorBoard& board, RunAside aside, const config::ReadAgain& read_again);
/// Operations on a running gateway: POST /api/v1/drain, PUT /api/v1/log-level, PUT
/// /api/v1/upstreams/{name}/servers/{server}/state and …/size. `drain` is called on the main thread, once. `tell` and
/// `size` are called on the admin thread: `tell` when a server is taken down or put back, `size` when its weight or
/// bound is set.
std::vector<AdminEndpoint> operate_endpoints(OperatorBoard& operators, AdminBoard& board, observe::Logs& logs,
                                             std::function<void()> drain, TellState tell, TellSize size);
/// GET, PUT and DELETE /api/v1/candidate, POST /api/v1/candidate/promote and GET /api/v1/candidate/diff: a second
/// policy beside the one in force.
std::vector<AdminEndpoint> candidate_endpoints(const OperatorBoard& operators, const CandidateCalls& calls,
                                               const observe::Logs& logs);
/// GET /api/v1/limits and /api/v1/routes: the rules in force in words, with their decisions.
std::vector<AdminEndpoint> limits_endpoints(const OperatorBoard& board, const observe::Registry& registry,
                                            const limit::MemoryStore& memory);
AdminEndpoint routes_endpoint(const OperatorBoard& board);
/// GET and DELETE /api/v1/limits/{name}/keys/{key}: shows or resets the counter of a key.
std::vector<AdminEndpoint> key_endpoints(const OperatorBoard& board, limit::MemoryStore& memory,
                                         const limit::BanTable& bans, std::shared_ptr<const KeyReader> keys,
                                         WithRedis with_redis);
/// GET and POST /api/v1/balances: shows or tops up the balance of a key.
std::vector<AdminEndpoint> balance_endpoints(const OperatorBoard& board, std::shared_ptr<const KeyReader> keys,
                                             WithRedis with_redis);
/// Resets the counters of all keys of a limit, in memory or in Redis.
AdminEndpoint forget_endpoint(const OperatorBoard& board, limit::MemoryStore& memory, WithRedis with_redis);
/// GET, POST and DELETE of /api/v1/bans.
std::vector<AdminEndpoint> ban_endpoints(const std::shared_ptr<services::BanService>& bans,
                                         std::shared_ptr<const KeyReader> keys, std::shared_ptr<const KeyUse> use);
/// GET /api/v1/overrides and /api/v1/limits/{name}/overrides; PUT and DELETE of
/// /api/v1/limits/{name}/overrides/{key}.
std::vector<AdminEndpoint> override_endpoints(OperatorBoard& board,
                                              const std::shared_ptr<services::OverrideService>& overrides,
                                              std::shared_ptr<const KeyReader> keys, std::shared_ptr<const KeyUse> use);
/// GET and POST /api/v1/keys, GET and DELETE /api/v1/keys/{id}: lists, issues and revokes API keys.
std::vector<AdminEndpoint> api_key_endpoints(OperatorBoard& board, const std::shared_ptr<services::KeyService>& keys);
/// GET /api/v1/top and GET /api/v1/limits/{name}/top: the callers that are limited.
std::vector<AdminEndpoint> top_endpoints(std::shared_ptr<services::TopService> service, const observe::Logs& logs);
/// GET /api/v1/usage and GET /api/v1/usage/{day}: the usage report, and the use of one key.
std::vector<AdminEndpoint> usage_endpoints(const OperatorBoard& board,
                                           const std::shared_ptr<services::BillingService>& service,
                                           const std::shared_ptr<const KeyReader>& keys);
/// GET /api/v1/bounds: all bounds and how much of each is used.
AdminEndpoint bounds_endpoint(const BoundsBoard& bounds);
/// GET /api/v1/certificates: every certificate in force. `ask` is called on the main thread.
AdminEndpoint certificates_endpoint(OperatorBoard& operators, std::function<std::vector<CertificateRow>()> ask);
/// GET /api/v1/connections and /api/v1/requests: open connections and requests in flight; DELETE ends some of them.
std::vector<AdminEndpoint> connection_endpoints(ConnectionCalls& calls, const OperatorBoard& operators,
                                                const observe::Logs& logs);
/// Returns the queues at an upstream.
using AskQueues = std::function<std::vector<QueueUse>(const std::string& upstream)>;
/// Returns the number of retries at an upstream since startup, by reason.
using AskRetries = std::function<std::map<std::string, std::uint64_t>(const std::string& upstream)>;
/// GET /api/v1/servers: which servers get requests, and why others do not. All functions are called on the admin
/// thread.
AdminEndpoint servers_endpoint(std::function<std::vector<UpstreamReport>()> ask, AskQueues queues, AskRetries retries);
/// GET /api/v1/traffic: the current traffic of each route.
AdminEndpoint traffic_endpoint(const TrafficRates& rates, const OperatorBoard& operators);
/// GET /api/v1/traffic/history: the traffic of the last 15 minutes.
AdminEndpoint history_endpoint(const TrafficRates& rates);
/// GET /api/v1/rooms: the waiting rooms.
AdminEndpoint rooms_endpoint(const OperatorBoard& operators, const observe::Registry& registry);
/// GET / and GET /dashboard/{file}: the dashboard, which needs no token.
std::vector<AdminEndpoint> page_endpoints();
/// POST /api/v1/simulate: replays the last minutes of live traffic with a policy.
AdminEndpoint simulate_endpoint(std::function<void(std::string config, AdminEndpoint::Give give)> simulate);
/// GET /api/v1/role: the role of the caller.
AdminEndpoint role_endpoint();

}  // namespace headgate::admin
