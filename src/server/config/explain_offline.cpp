#include "reload.hpp"

#include "headgate/admin/explain_json.hpp"
#include "headgate/engine/engine.hpp"
#include "headgate/net/loop_clock.hpp"
#include "headgate/server/explain.hpp"
#include "headgate/services/ban_json.hpp"

#include <boost/asio/io_context.hpp>

#include <nlohmann/json.hpp>

#include <exception>
#include <optional>
#include <utility>
#include <vector>

namespace headgate::server {
namespace {

struct Answer {
  std::optional<gateway::Explanation> told;
  std::exception_ptr bug;
};

Task<void> ask(gateway::Gateway& gateway, gateway::ExplainedRequest request, Answer& answer) {
  try {
    auto explained = gateway.explain(std::move(request));
    answer.told = co_await explained;
  } catch (...) {
    answer.bug = std::current_exception();
  }
}

}  // namespace

std::string explain_offline(const config::Config& config, gateway::ExplainedRequest request) {
  boost::asio::io_context loop{1};
  net::LoopClock clock(loop);
  SideThread side;
  auto pending = prepare_config(loop, side, make_ready(side, config), nullptr, nullptr);
  const auto compiled = pending.active->compiled;
  const auto head = request.head;
  Answer answer;
  {
    gateway::Snapshot parts;
    parts.compiled = compiled;
    parts.key_overrides = pending.active->key_overrides;
    parts.upstreams.resize(config.upstreams.size());  // no server is asked
    engine::Offline offline(clock, Random::of_the_system()(), std::move(parts), 1);
    request.https_port = admin::https_port_of(config);
    spawn(ask(offline.gateway(), std::move(request), answer), "explain");
    loop.poll();  // nothing of it waits
  }
  if (answer.bug) std::rethrow_exception(answer.bug);
  auto candidates = gateway::route_candidates(*compiled, head);
  gateway::choose(candidates, answer.told->found);
  for (auto& state : answer.told->limits) state.key_id.clear();  // a gateway has a secret of its own for them
  auto out = admin::to_json(*answer.told, candidates);
  answer.told.reset();
  pending = {};
  out["offline"] = true;
  return services::text_of(out);
}

}  // namespace headgate::server
