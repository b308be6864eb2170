#include "gateway_service.hpp"

#include "headgate/admin/explain_json.hpp"
#include "headgate/gateway/candidate.hpp"

#include <algorithm>
#include <array>
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
               &shared.refused.of(worker), &shared.passwords, &shared.holds, &shared.reservations},
              now_.parts, shared.registry, worker) {
  if (active->candidate) {
    now_.parts.candidate = candidate_beside(*active);
    engine_.adopt(now_.parts);
  }
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
  // The old limiter is kept until the next reload, because it still has to return leases and holds.
  if (now_.redis != installed.redis) retired_ = now_.redis;
  access_log_ = shared_.logs.access_log(&access_log_);
  shared_.board.use_servers(worker_, servers_of(installed));
  installed.parts.candidate = candidate_beside(*next);
  engine_.adopt(installed.parts);
  shared_.explain.use(next->compiled);
  now_ = std::move(installed);
}

void GatewayService::use_overrides(const std::shared_ptr<const services::ActiveConfig>& next) {
  now_.active = next;
  now_.parts.overrides = next->overrides;
  if (candidate_ && next->candidate) candidate_->use_overrides(next->candidate->overrides);
  engine_.use_overrides(next->overrides);
}

std::shared_ptr<gateway::Candidate> GatewayService::candidate_beside(const services::ActiveConfig& next) {
  if (!next.candidate) {
    drop_candidate();
    return nullptr;
  }
  const auto& set = *next.candidate;
  gateway::Snapshot parts;
  parts.compiled = set.compiled;
  parts.credentials = set.credentials;
  parts.overrides = set.overrides;
  auto unused = candidate_redis_;
  if (set.config->redis) {
    const auto options = redis_of_candidate(next);
    if (!candidate_redis_ || candidate_redis_options_ != options)
      candidate_redis_ =
          std::make_shared<redis::SharedLimiter>(environment_.loop, options, [] { return fleet_of_process()->seen(); });
    candidate_redis_options_ = options;
    parts.redis = candidate_redis_;
    parts.rooms = candidate_redis_;
  } else {
    candidate_redis_.reset();
  }
  if (candidate_ && candidate_->state() == set.state) {
    if (candidate_config_ != set.config) (void)candidate_->take_keys();  // the keys belong to another candidate
    candidate_->adopt(std::move(parts), next.compiled);
  } else {
    if (candidate_) candidate_->stop();
    candidate_ = std::make_shared<gateway::Candidate>(environment_.clock, environment_.random, set.state,
                                                      std::move(parts), next.compiled, shared_.registry, worker_);
  }
  candidate_config_ = set.config;
  if (unused && unused != candidate_redis_) unused->stop();
  return candidate_;
}

void GatewayService::drop_candidate() {
  if (candidate_) candidate_->stop();
  if (candidate_redis_) candidate_redis_->stop();
  candidate_.reset();
  candidate_config_.reset();
  candidate_redis_.reset();
}

std::vector<observe::LimitSketches> GatewayService::take_candidate_keys() {
  return candidate_ ? candidate_->take_keys() : std::vector<observe::LimitSketches>();
}

void GatewayService::use(const upstream::NamedAddresses& name) {
  for (const auto& upstream : now_.parts.upstreams) upstream->use(name);
}

void GatewayService::take_down(const std::string& upstream, const std::string& server) {
  const auto snapshot = engine_.snapshot();
  for (const auto& each : snapshot->upstreams)
    if (each->name() == upstream) each->take_down(server);
}

bool GatewayService::has_unsent() const {
  return std::ranges::any_of(std::array{now_.redis.get(), retired_.get()}, [](const redis::SharedLimiter* redis) {
    return redis != nullptr && redis->outstanding().settlements > 0;
  });
}

void GatewayService::stop() {
  shared_.explain.remove(worker_);
  shared_.board.use_redis(worker_, nullptr);
  shared_.board.use_servers(worker_, {});
  loop_watch_.reset();
  engine_.stop();
  drop_candidate();
  shared_.billing->add(take_sheet());
  for (const auto& upstream : now_.parts.upstreams) upstream->stop();
  for (const auto& redis : {now_.redis, retired_})
    if (redis) redis->stop();
}

}  // namespace headgate::server
