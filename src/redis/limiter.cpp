#include "headgate/redis/limiter.hpp"

#include "decider.hpp"

namespace headgate::redis {

struct Limiter::State {
  std::shared_ptr<Decider> decider;
};

Limiter::Limiter(boost::asio::io_context& loop, const Options& options)
    : state_(std::make_shared<State>(State{std::make_shared<Decider>(loop, options)})) {
  state_->decider->start();
}

Limiter::~Limiter() { stop(); }

Task<Result<bool>> Limiter::decide(std::span<const limit::Ask> asks, std::span<limit::Verdict> verdicts) {
  if (asks.empty()) co_return true;
  const auto decider = state_->decider;  // a caller may let go of the limiter while it waits
  const auto pass = decider->admit();
  if (!pass) co_return Result<bool>(boost::system::in_place_error, pass.error());
  Call call(*decider, asks, verdicts, *pass);
  co_return co_await call;
}

Health Limiter::health() const noexcept { return state_->decider->health(); }

Counters Limiter::counters() const noexcept { return state_->decider->counters(); }

void Limiter::stop() { state_->decider->stop(); }

}  // namespace headgate::redis
