#include "lag_probe.hpp"

namespace headgate::gateway {

LagProbe::LagProbe(Clock& clock, Duration tolerated)
    : clock_(clock), lag_(tolerated), alarm_(clock.alarm(&LagProbe::on_alarm, this)) {
  plan();
}

void LagProbe::plan() {
  planned_ = clock_.steady() + shed::LoopLag::kEvery;
  alarm_->set(shed::LoopLag::kEvery);
}

void LagProbe::on_alarm(void* self) {
  auto& probe = *static_cast<LagProbe*>(self);
  probe.lag_.measured(std::chrono::duration_cast<Duration>(probe.clock_.steady() - probe.planned_));
  if (probe.gauge_) probe.gauge_->set(std::chrono::duration<double>(probe.lag_.lag()).count());
  probe.plan();
}

}  // namespace headgate::gateway
