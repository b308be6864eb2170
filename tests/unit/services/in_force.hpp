#pragma once
// A configuration that is in force, for services.

#include "headgate/services/active_config.hpp"

#include <memory>
#include <utility>

namespace headgate::services {

inline std::shared_ptr<const ActiveConfig> in_force(std::shared_ptr<const config::Config> config) {
  auto out = std::make_shared<ActiveConfig>();
  out->config = std::move(config);
  return out;
}

}  // namespace headgate::services
