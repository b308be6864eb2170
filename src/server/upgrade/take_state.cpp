// Hands the state of the gateway to the next process, and takes it over from the previous one.

#include "handed_state.hpp"
#include "server/config/gateway_program.hpp"

#include "headgate/observe/event.hpp"

#include <unistd.h>

namespace headgate::server {

StateParts GatewayProgram::parts() {
  return {.memory = shared_.memory,
          .bans = shared_.bans->table(),
          .overrides = *shared_.overrides,
          .board = shared_.board,
          .operators = shared_.operators,
          .logs = shared_.logs,
          .sizes = sizes_.list(),
          .gateways = fleet_of_process()->seen(),
          .candidate = handover_candidate(),
          .candidate_state = now_->candidate ? now_->candidate->state : nullptr,
          .take_candidate = [this](const HandoverCandidate& handed) { return take_candidate(handed); }};
}

void GatewayProgram::take_state(bool same_hashes) {
  if (!taken_over_ || !taken_over_->begun()) return take_kept_candidate();
  const int file = taken_over_->ask_state();
  if (file < 0)
    return observe::event(observe::LogLevel::warning, "state_not_taken_over", "state of the previous process was lost",
                          {{"what", "counters, suspensions, overrides, and which servers were taken out"},
                           {"reason", "the previous process sent no state; it may be an older version"}});
  auto taken = read_state(file, parts(), same_hashes);
  ::close(file);
  if (taken.gateways > fleet_of_process()->seen()) fleet_of_process()->seen(taken.gateways);
  for (const auto& size : taken.sizes)
    if (auto why = sizes_.restore(now_->config->upstreams, size); !why.empty())
      taken.left_out["the size of server " + size.server + " of " + size.upstream] = std::move(why);
  if (!sizes_.empty()) use_sizes();
  for (const auto& room : now_->config->gateway.rooms)
    if (room.store == limit::Store::memory)
      taken.left_out["the line of " + room.rule.name] = "a waiting room in memory starts with an empty line";
  tell_of(taken);
}

}  // namespace headgate::server
