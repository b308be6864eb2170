#include "gateway_service.hpp"

#include "headgate/admin/explain_json.hpp"

#include <utility>

namespace headgate::server {

GatewayService::GatewayService(const std::shared_ptr<const services::ActiveConfig>& active, Shared& shared,
                               unsigned worker, upstream::Environment environment)
    : shared_(shared),
      worker_(worker),
      environment_(environment),
      now_(install(active, nullptr, environment, shared.registry, worker, shared.retry_budgets)),
      access_log_(shared.logs.access_log()),
      spans_(shared.spans),
      handshakes_(shared.registry, worker),
      tops_(shared.registry.tops(worker)),
      engine_({environment.clock, environment.random, shared.memory, access_log_, shared.bans->table(), shared.rooms,
               shared.flights, environment.blocks.lent, &spans_, &sheet_, &shared.quotas->inbox(),
               &shared.refused.of(worker)},
              now_.parts, shared.registry, worker) {
  loop_watch_.emplace(environment.clock, observe::loop_lag_gauge(shared.registry, worker));
  shared_.board.use_redis(worker_, now_.redis);
  shared_.board.use_servers(worker_, servers_of(now_));
  shared_.explain.use(active->compiled);
  shared_.explain.add(worker_, environment_.loop,
                      [this](gateway::ExplainedRequest request) { return explain(std::move(request)); });
}

Task<gateway::Explanation> GatewayService::explain(gateway::ExplainedRequest request) {
  if (!request.tls) request.https_port = admin::https_port_of(*now_.active->config);
  return engine_.gateway().explain(std::move(request));
}

void GatewayService::adopt(const std::shared_ptr<const services::ActiveConfig>& next) {
  auto installed = install(next, &now_, environment_, shared_.registry, worker_, shared_.retry_budgets);
  shared_.board.use_redis(worker_, installed.redis);
  // It still has to give back leases and holds, so it is kept until the reload after this one.
  if (now_.redis != installed.redis) retired_ = now_.redis;
  access_log_ = shared_.logs.access_log(&access_log_);
  shared_.board.use_servers(worker_, servers_of(installed));
  engine_.adopt(installed.parts);
  shared_.explain.use(next->compiled);
  now_ = std::move(installed);
}

void GatewayService::use_overrides(const std::shared_ptr<const services::ActiveConfig>& next) {
  now_.active = next;
  now_.parts.overrides = next->overrides;
  engine_.use_overrides(next->overrides);
}

void GatewayService::use(const upstream::NamedAddresses& name) {
  for (const auto& upstream : now_.parts.upstreams) upstream->use(name);
}

void GatewayService::take_down(const std::string& upstream, const std::string& server) {
  const auto snapshot = engine_.snapshot();
  for (const auto& each : snapshot->upstreams)
    if (each->name() == upstream) each->take_down(server);
}

void GatewayService::stop() {
  shared_.explain.remove(worker_);
  shared_.board.use_redis(worker_, nullptr);
  shared_.board.use_servers(worker_, {});
  loop_watch_.reset();
  engine_.stop();
  shared_.billing->add(take_sheet());
  for (const auto& upstream : now_.parts.upstreams) upstream->stop();
  for (const auto& redis : {now_.redis, retired_})
    if (redis) redis->stop();
}

}  // namespace headgate::server
