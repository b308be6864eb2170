#pragma once
// The endpoints of a gateway's admin interface, grouped by what they show and change.

#include "headgate/admin/admin_board.hpp"
#include "headgate/admin/admin_endpoints.hpp"
#include "headgate/admin/bounds.hpp"
#include "headgate/admin/candidate_calls.hpp"
#include "headgate/admin/certificate_rows.hpp"
#include "headgate/admin/connection_calls.hpp"
#include "headgate/admin/event_feed.hpp"
#include "headgate/admin/explain_calls.hpp"
#include "headgate/admin/live_feed.hpp"
#include "headgate/admin/operator_board.hpp"
#include "headgate/admin/reasons.hpp"
#include "headgate/admin/refused_endpoint.hpp"
#include "headgate/admin/reload_endpoint.hpp"
#include "headgate/admin/server_sizes.hpp"
#include "headgate/admin/traffic_rates.hpp"
#include "headgate/config/read_config.hpp"
#include "headgate/gateway/fleet_size.hpp"
#include "headgate/limit/memory_store.hpp"
#include "headgate/observe/logs.hpp"
#include "headgate/observe/metrics.hpp"
#include "headgate/redis/limiter.hpp"
#include "headgate/services/ban_service.hpp"
#include "headgate/services/billing_service.hpp"
#include "headgate/services/key_service.hpp"
#include "headgate/services/override_service.hpp"
#include "headgate/services/top_service.hpp"
#include "headgate/shed/wait_queues.hpp"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace headgate::admin {

/// Calls its argument on the thread of a worker, with the worker's Redis limiter, or with null if the worker has none.
/// Drops the argument if no worker runs.
using WithRedis = std::function<void(std::function<void(std::shared_ptr<redis::SharedLimiter>)>)>;

/// The state that an operator gave a server.
struct ServerState {
  std::string upstream;
  std::string server;
  bool down = false;  ///< True if the requests in flight at the server are broken off.
};
using TellState = std::function<void(const ServerState& now)>;
/// Sets the weight or the bound of a server, soon after the call. Returns false if nothing can be changed any more.
using TellSize = std::function<bool(const std::string& upstream, const std::string& server, const WantedSize& size)>;

/// Runs slow work on a separate thread, one piece after the other. Work that has not begun when the thread ends is
/// dropped. Returns false if the thread has ended. Any thread.
using RunAside = std::function<bool(std::function<void()> what)>;

/// The data and functions behind the admin interface, which must not outlive them. The functions are called on the
/// admin thread.
struct Subjects {
  AdminBoard& board;
  OperatorBoard& operators;
  Reasons& reasons;
  const gateway::FleetSize& fleet;
  BoundsBoard& bounds;
  RefusedBoard& refused;
  ExplainCalls& explain;
  EventFeed& events;
  LiveFeed& live;
  /// Tries a configuration on the last minutes of live traffic.
  std::function<void(std::string config, AdminEndpoint::Give give)> simulate;
  ConnectionCalls& connections;
  std::shared_ptr<ReloadCalls> reloads;
  CandidateCalls candidate;
  const TrafficRates& rates;
  std::shared_ptr<services::BanService> bans;
  std::shared_ptr<services::OverrideService> overrides;
  std::shared_ptr<services::KeyService> keys;
  std::shared_ptr<services::BillingService> billing;
  std::shared_ptr<services::TopService> top;
  limit::MemoryStore& memory;
  const shed::WaitQueues& flights;
  observe::Logs& logs;
  observe::Registry& registry;
  const config::ReadAgain& read_again;
  RunAside aside;
  WithRedis with_redis;
  std::function<std::vector<CertificateRow>()> certificates;
  std::function<void()> drain;  ///< Begins a drain; main thread.
  TellState tell_state;
  TellSize tell_size;
};

std::vector<AdminEndpoint> endpoints_of(const Subjects& subjects);

}  // namespace headgate::admin
