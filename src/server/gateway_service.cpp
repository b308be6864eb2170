#include "headgate/server/gateway_service.hpp"

#include "headgate/gateway/gateway.hpp"
#include "headgate/limit/memory_store.hpp"
#include "headgate/observe/access_log.hpp"
#include "headgate/redis/limiter.hpp"

#include <algorithm>

namespace headgate::server {
namespace {

/// What all workers share: all of it immutable or made for many threads.
struct Shared {
  const gateway::Site& site;
  limit::MemoryStore& memory;
  observe::AccessLog& access_log;
};

using Upstreams = std::vector<std::unique_ptr<upstream::Upstream>>;

Upstreams make_upstreams(const config::Config& config, upstream::Environment environment) {
  Upstreams out;
  for (auto options : config.upstreams) {
    options.body_timeout = config.gateway.timeouts.body;
    out.push_back(std::make_unique<upstream::Upstream>(environment, options));
  }
  return out;
}

class GatewayService final : public Service {
 public:
  GatewayService(const config::Config& config, const Shared& shared, upstream::Environment environment)
      : upstreams_(make_upstreams(config, environment)),
        redis_(config.redis ? std::make_unique<redis::Limiter>(environment.loop, *config.redis) : nullptr),
        gateway_({shared.site, shared.memory, redis_.get(), upstreams_, shared.access_log}) {}

  gateway::Handler& handler() override { return gateway_; }

  void stop() override {
    for (auto& upstream : upstreams_) upstream->stop();
    if (redis_) redis_->stop();
  }

 private:
  Upstreams upstreams_;
  std::unique_ptr<redis::Limiter> redis_;
  gateway::Gateway gateway_;
};

}  // namespace

int serve_gateway(const config::Config& config) {
  std::vector<std::string> names;
  for (const auto& upstream : config.upstreams) names.push_back(upstream.name);
  const auto instances = config.redis ? config.redis->instances : 1;
  const gateway::Site site(config.gateway, config.identity, config.limits, names, instances);
  limit::MemoryStore memory(config.memory);
  observe::open_event_log(config.log);
  observe::AccessLog access_log(config.log);
  const Shared shared{site, memory, access_log};
  const Options options{config.listen, config.workers, config.drain, config.gateway.timeouts, config.gateway.bounds};
  const auto result = serve(options, [&](upstream::Environment environment) {
    return std::make_unique<GatewayService>(config, shared, environment);
  });
  observe::shut_down_logs();
  return result;
}

}  // namespace headgate::server
