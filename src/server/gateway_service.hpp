#pragma once
// The gateway on one worker: its active configuration, and the path that uses it.

#include "server/config/reload.hpp"
#include "server/watch/loop_watch.hpp"

#include "headgate/admin/admin_board.hpp"
#include "headgate/admin/bounds.hpp"
#include "headgate/admin/explain_calls.hpp"
#include "headgate/admin/operator_board.hpp"
#include "headgate/admin/reasons.hpp"
#include "headgate/admin/refused_endpoint.hpp"
#include "headgate/engine/engine.hpp"
#include "headgate/gateway/basic/password_pool.hpp"
#include "headgate/gateway/reservations/reservation_book.hpp"
#include "headgate/limit/memory_store.hpp"
#include "headgate/observe/logs.hpp"
#include "headgate/room/memory_rooms.hpp"
#include "headgate/server/server.hpp"
#include "headgate/services/agreement_service.hpp"
#include "headgate/services/ban_service.hpp"
#include "headgate/services/billing_service.hpp"
#include "headgate/services/key_service.hpp"
#include "headgate/services/override_service.hpp"
#include "headgate/services/quota_service.hpp"
#include "headgate/upstream/retry_budget.hpp"

#include <cstddef>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

namespace headgate::server {

/// The objects that all workers share. Thread-safe.
struct Shared {
  Shared(const config::Config& config, observe::Logs& opened, std::shared_ptr<services::WebhookService> webhook_service,
         std::shared_ptr<services::BanService> ban_service, std::shared_ptr<services::OverrideService> override_service,
         std::shared_ptr<services::KeyService> key_service, std::shared_ptr<services::BillingService> billing_service,
         std::shared_ptr<services::QuotaService> quota_service, boost::asio::io_context& main_loop, const Clock& clock)
      : logs(opened),
        memory(config.memory),
        max_keys(config.memory.max_keys),
        webhooks(std::move(webhook_service)),
        bans(std::move(ban_service)),
        overrides(std::move(override_service)),
        keys(std::move(key_service)),
        billing(std::move(billing_service)),
        quotas(std::move(quota_service)),
        passwords(clock),
        operators(main_loop) {}

  observe::Logs& logs;
  limit::MemoryStore memory;
  const std::size_t max_keys;  ///< the bound of `memory`
  const std::shared_ptr<services::WebhookService> webhooks;
  const std::shared_ptr<services::BanService> bans;
  const std::shared_ptr<services::OverrideService> overrides;
  const std::shared_ptr<services::KeyService> keys;
  const std::shared_ptr<services::BillingService> billing;
  const std::shared_ptr<services::QuotaService> quotas;
  room::MemoryRooms rooms;
  shed::WaitQueues flights;
  limit::HoldTable holds;
  gateway::ReservationBook reservations;
  gateway::PasswordPool passwords;
  upstream::RetryBudgets retry_budgets;
  observe::SpanQueue spans;
  observe::Registry registry;
  admin::AdminBoard board;
  admin::Reasons reasons;
  admin::BoundsBoard bounds;
  std::shared_ptr<services::AgreementService> agreement;  ///< main thread only; null before the program exists
  admin::OperatorBoard operators;
  admin::ExplainCalls explain;
  admin::RefusedBoard refused;
};

/// Worker thread, or the main thread before the worker runs.
class GatewayService final : public WorkerService {
 public:
  GatewayService(const std::shared_ptr<const services::ActiveConfig>& active, Shared& shared, unsigned worker,
                 upstream::Environment environment);

  gateway::Handler& handler() override { return engine_.gateway(); }
  session::Timeouts timeouts() const override { return now_.active->config->timeouts; }
  const observe::HandshakeCounters* handshakes() const override { return &handshakes_; }
  session::Bounds bounds() const override { return now_.active->config->bounds; }
  observe::ListenerCounters listener_counters(std::string_view listener) override {
    return observe::listener_counters(shared_.registry, worker_, listener);
  }
  bool has_unsent() const override;
  void stop() override;

  /// The number of the worker, from 0.
  unsigned worker() const noexcept { return worker_; }
  /// Returns the callers that were limited since the last call.
  std::vector<observe::LimitSketches> take_tops() { return tops_.take(); }
  /// Returns the use that was billed since the last call.
  limit::UseSheet::Content take_sheet() { return sheet_.take(); }

  Task<gateway::Explanation> explain(gateway::ExplainedRequest request);
  /// Uses this configuration for new exchanges, and from now on the log files that are open now.
  void adopt(const std::shared_ptr<const services::ActiveConfig>& next);
  /// Uses the same configuration with other overrides.
  void use_overrides(const std::shared_ptr<const services::ActiveConfig>& next);
  /// Returns the limiter; null if no limit is counted in Redis.
  std::shared_ptr<redis::SharedLimiter> redis() const noexcept { return now_.redis; }
  /// Returns the keys that only one of the policies refused since the last call.
  std::vector<observe::LimitSketches> take_candidate_keys();
  /// Uses new addresses for the name of servers.
  void use(const upstream::NamedAddresses& name);
  /// Ends the attempts at a server that was taken down.
  void take_down(const std::string& upstream, const std::string& server);

 private:
  /// Returns the candidate that decides beside `next` and keeps its previous state; null if there is none.
  std::shared_ptr<gateway::Candidate> candidate_beside(const services::ActiveConfig& next);
  void drop_candidate();

  Shared& shared_;
  unsigned worker_;
  upstream::Environment environment_;
  Installed now_;
  std::shared_ptr<redis::SharedLimiter> retired_;
  observe::AccessLog access_log_;
  observe::SpanLog spans_;
  observe::HandshakeCounters handshakes_;
  observe::WorkerTops& tops_;
  limit::UseSheet sheet_;
  std::shared_ptr<gateway::Candidate> candidate_;
  std::shared_ptr<const config::Config> candidate_config_;
  std::shared_ptr<redis::SharedLimiter> candidate_redis_;
  redis::RedisOptions candidate_redis_options_;
  engine::Engine engine_;
  std::optional<LoopWatch> loop_watch_;
};

}  // namespace headgate::server
