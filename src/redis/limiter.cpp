#include "headgate/redis/limiter.hpp"

#include "servers.hpp"

namespace headgate::redis {

struct Limiter::State {
  std::shared_ptr<Servers> servers;
};

Limiter::Limiter(boost::asio::io_context& loop, const Options& options)
    : state_(std::make_shared<State>(State{Servers::make(loop, options)})) {}

Limiter::~Limiter() { stop(); }

Task<Result<bool>> Limiter::decide(std::span<const limit::Ask> asks, std::span<limit::Verdict> verdicts) {
  if (asks.empty()) co_return true;
  const auto servers = state_->servers;  // a caller may let go of the limiter while it waits
  auto decision = servers->decide(asks, verdicts);
  co_return co_await decision;
}

Health Limiter::health() const noexcept { return state_->servers->health(); }
Counters Limiter::counters() const { return state_->servers->counters(); }
std::vector<NodeStatus> Limiter::nodes() const { return state_->servers->nodes(); }
LocalCounters Limiter::local() const noexcept { return {}; }

void Limiter::stop() { state_->servers->stop(); }

}  // namespace headgate::redis
