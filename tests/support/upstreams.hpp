#pragma once
// Makes upstreams that have only a name.

#include "headgate/gateway/upstream_options.hpp"

#include <initializer_list>
#include <string>
#include <vector>

namespace headgate::test {

inline std::vector<gateway::UpstreamOptions> upstreams(std::initializer_list<std::string> names) {
  std::vector<gateway::UpstreamOptions> out;
  for (const auto& name : names) out.emplace_back().name = name;
  return out;
}

}  // namespace headgate::test
