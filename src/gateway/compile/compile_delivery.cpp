// What a route does beyond one attempt with a body that streams.

#include "headgate/gateway/compiled_config.hpp"

#include <memory>
#include <utility>

namespace headgate::gateway {

std::shared_ptr<const Delivery> CompiledConfig::delivery(const RouteOptions& wanted, const std::string& to) const {
  if (wanted.respond) return nullptr;
  Delivery out;
  if (const auto& retry = upstreams_[upstream_number(to)].retry) out.retry = &*retry;
  out.held_body = wanted.held_body;
  out.mirror = wanted.mirror;
  if (out.mirror) out.mirror_upstream = upstream_number(out.mirror->to);
  if (out.retry == nullptr && out.held_body == 0 && !out.mirror) return nullptr;
  return std::make_shared<const Delivery>(std::move(out));
}

}  // namespace headgate::gateway
