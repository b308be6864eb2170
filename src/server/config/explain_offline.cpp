#include "reload.hpp"

#include "headgate/admin/explain_json.hpp"
#include "headgate/gateway/gateway.hpp"
#include "headgate/limit/memory_store.hpp"
#include "headgate/net/loop_clock.hpp"
#include "headgate/observe/metrics.hpp"
#include "headgate/server/explain.hpp"
#include "headgate/services/ban_json.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/smart_ptr/make_local_shared.hpp>

#include <nlohmann/json.hpp>

#include <exception>
#include <optional>
#include <utility>
#include <vector>

namespace headgate::server {
namespace {

/// Redis before its first key.
class EmptyRedis final : public limit::RemoteLimiter {
 public:
  explicit EmptyRedis(Clock& clock) : clock_(clock) {}
  Task<Result<bool>> decide(std::span<const limit::Check> checks, std::span<limit::Decision> decisions) override {
    co_return store_.decide(checks, clock_.wall(), decisions);
  }
  bool settle(std::span<const limit::Check>) override { return true; }
  Task<error_code> charge(const limit::Check&, std::string_view) override { co_return error_code(); }
  std::chrono::steady_clock::time_point recovering_until() const noexcept override { return {}; }
  bool up() const noexcept override { return true; }

 private:
  Clock& clock_;
  limit::MemoryStore store_{{.max_keys = 1}};
};

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
  observe::Registry registry;
  SideThread side;
  auto pending = prepare_config(loop, side, make_ready(side, config), nullptr, nullptr);
  const auto compiled = pending.active->compiled;
  const auto head = request.head;
  Answer answer;
  {
    limit::MemoryStore memory({.max_keys = 1});
    observe::AccessLog log;
    limit::BanTable bans;
    room::MemoryRooms rooms;
    shed::WaitQueues flights;
    const auto snapshot = boost::make_local_shared<gateway::Snapshot>();
    snapshot->compiled = compiled;
    snapshot->upstreams.resize(config.upstreams.size());
    snapshot->retries.resize(config.upstreams.size());
    snapshot->redis = std::make_shared<EmptyRedis>(clock);
    snapshot->counters = std::make_shared<const gateway::ExchangeCounters>(registry, 0, *compiled);
    snapshot->key_overrides = pending.active->key_overrides;
    gateway::Gateway gateway({clock, memory, log, bans, rooms, flights}, snapshot);
    request.https_port = admin::https_port_of(config);
    spawn(ask(gateway, std::move(request), answer), "explain");
    loop.poll();  // nothing of it waits
    gateway.stop();
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
