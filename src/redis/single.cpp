#include "single.hpp"

namespace headgate::redis {

Single::Single(boost::asio::io_context& loop, const std::shared_ptr<const Setup>& setup)
    : stats_(roster_.add(name_of(setup->options.nodes.front()))),
      decider_(std::make_shared<Decider>(loop, setup, stats_, nullptr)) {
  decider_->aim(setup->options.nodes.front(), stats_);
}

Single::~Single() { stop(); }

Task<Result<bool>> Single::decide(std::span<const limit::Ask> asks, std::span<limit::Verdict> verdicts) {
  const auto decider = decider_;  // a caller may let go of everything while it waits
  const auto pass = decider->admit();
  if (!pass) co_return Result<bool>(boost::system::in_place_error, pass.error());
  Call call(*decider, asks, verdicts, *pass);
  co_return co_await call;
}

Health Single::health() const noexcept { return stats_->health.load(std::memory_order_relaxed); }

void Single::stop() { decider_->stop(); }

}  // namespace headgate::redis
