#include "headgate/server/gateway_service.hpp"

#include "reload.hpp"

#include "headgate/gateway/gateway.hpp"
#include "headgate/limit/memory_store.hpp"
#include "headgate/observe/access_log.hpp"

#include <algorithm>

namespace headgate::server {
namespace {

class GatewayService final : public Service {
 public:
  GatewayService(const std::shared_ptr<const InForce>& in_force, limit::MemoryStore& memory,
                 observe::AccessLog& access_log, upstream::Environment environment)
      : environment_(environment),
        in_force_(in_force),
        snapshot_(make_snapshot(*in_force, nullptr, environment)),
        gateway_({environment.loop, memory, access_log}, snapshot_) {}

  gateway::Handler& handler() override { return gateway_; }

  void adopt(const std::shared_ptr<const InForce>& next) {
    const Kept kept{in_force_->config, *snapshot_};
    snapshot_ = make_snapshot(*next, &kept, environment_);
    in_force_ = next;
    gateway_.adopt(snapshot_);
  }

  void stop() override {
    for (const auto& upstream : snapshot_->upstreams) upstream->stop();
    if (snapshot_->redis) snapshot_->redis->stop();
  }

 private:
  upstream::Environment environment_;
  std::shared_ptr<const InForce> in_force_;
  gateway::SnapshotPtr snapshot_;
  gateway::Gateway gateway_;
};

}  // namespace

int serve_gateway(const config::Config& config, const ReadAgain& read_again) {
  auto in_force = put_in_force(config);
  limit::MemoryStore memory(config.memory);
  observe::open_event_log(config.log);
  observe::AccessLog access_log(config.log);
  const Options options{config.listen, config.workers, config.drain, config.gateway.timeouts, config.gateway.bounds};
  const MakeService make = [&](upstream::Environment environment) {
    return std::make_unique<GatewayService>(in_force, memory, access_log, environment);
  };
  const Reload reload = [&]() -> Change {
    auto next = next_in_force(*in_force, read_again);
    if (!next) return nullptr;
    in_force = next;
    return [next](Service& service) { static_cast<GatewayService&>(service).adopt(next); };
  };
  const auto result = serve(options, make, reload);
  observe::shut_down_logs();
  return result;
}

}  // namespace headgate::server
