#include "headgate/offline/offline_config.hpp"

#include "headgate/keyring/keyring.hpp"

#include <boost/asio/io_context.hpp>

#include <utility>

namespace headgate::offline {

Result<OfflineConfig, std::string> OfflineConfig::make(const config::Config& config) {
  boost::asio::io_context loop{1};  // never runs
  const auto keyring = keyring::Keyring::open(loop, config.identity, nullptr);
  if (keyring.has_error()) return keyring.error();
  auto path = config.gateway;
  path.shedding.loop_lag = Duration(0);  // no loop is late here, so the lag is not measured
  OfflineConfig out;
  const auto instances = config.redis ? config.redis->instances : 1;
  out.compiled_ = std::make_shared<const gateway::CompiledConfig>(path, config.identity, config.limits,
                                                                  config.upstreams, instances);
  out.keys_ = std::make_shared<const gateway::ActiveCredentials>(*out.compiled_, (*keyring)->now());
  (*keyring)->stop();
  return out;
}

gateway::Snapshot OfflineConfig::parts() const {
  gateway::Snapshot out;
  out.compiled = compiled_;
  out.credentials = keys_;
  return out;
}

std::unique_ptr<engine::Simulation> OfflineConfig::simulation(const engine::Simulation::Setup& setup) const {
  return std::make_unique<engine::Simulation>(parts(), setup);
}

}  // namespace headgate::offline
