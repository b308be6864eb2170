// What of a request says which server of its upstream gets it.

#include "headgate/gateway/compiled_config.hpp"
#include "headgate/gateway/key_source.hpp"

namespace headgate::gateway {

void CompiledConfig::note_balance(Route& route) const {
  if (route.respond) return;
  for (const auto& each : options_.balance_keys)
    if (each.upstream == route.upstream_name) route.balance_per = &each.per;
  if (route.balance_per == nullptr) return;
  for (const auto& per : *route.balance_per) {
    route.reads_token = route.reads_token || per.source->needs == Needs::token;
    route.reads_key = route.reads_key || per.source->needs == Needs::api_key;
  }
}

}  // namespace headgate::gateway
