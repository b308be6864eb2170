#include "single.hpp"

namespace headgate::redis {

Single::Single(boost::asio::io_context& loop, const std::shared_ptr<const Setup>& setup)
    : stats_(roster_.add(name_of(setup->options.nodes.front()))),
      decider_(std::make_shared<Decider>(loop, setup, stats_, nullptr)) {
  decider_->aim(setup->options.nodes.front(), stats_);
}

Single::~Single() { stop(); }

Task<Result<bool>> Single::decide(std::span<const limit::Ask> asks, std::span<limit::Verdict> verdicts) {
  return Decider::decide(decider_, asks, verdicts);
}

Health Single::health() const noexcept { return stats_->health.load(std::memory_order_relaxed); }

void Single::stop() { decider_->stop(); }

}  // namespace headgate::redis
