#include "headgate/admin/explain_json.hpp"
#include "headgate/offline/offline_config.hpp"
#include "headgate/server/explain.hpp"
#include "headgate/services/ban_json.hpp"

#include <nlohmann/json.hpp>

#include <stdexcept>
#include <utility>

namespace headgate::server {

std::string explain_offline(const config::Config& config, gateway::ExplainedRequest request) {
  const auto offline = offline::OfflineConfig::make(config);
  if (offline.has_error()) throw std::runtime_error(offline.error());
  const auto simulation = offline->simulation({.start = now(), .seed = Random::of_the_system()(), .max_keys = 1});
  auto candidates = request.call ? gateway::ConsideredRoutes()
                                 : gateway::considered_routes(offline->compiled(), request.head, request.peer);
  request.https_port = admin::https_port_of(config);
  auto told = simulation->explain(std::move(request));
  gateway::choose(candidates, told.found);
  // The ids of keys are left out, because a running gateway makes them with a secret of its own.
  for (auto& state : told.limits) state.key_id.clear();
  if (told.call)
    for (auto& descriptor : told.call->descriptors)
      for (auto& state : descriptor.limits) state.key_id.clear();
  auto out = admin::to_json(told, candidates);
  out["offline"] = true;
  return services::text_of(out);
}

}  // namespace headgate::server
