#include "loop_watch.hpp"

#include <algorithm>
#include <chrono>

namespace headgate::server {

LoopWatch::LoopWatch(Clock& clock, observe::Gauge& gauge)
    : clock_(clock), gauge_(gauge), alarm_(clock.alarm(&LoopWatch::on_alarm, this)) {
  plan();
}

void LoopWatch::plan() {
  planned_ = clock_.steady() + kEvery;
  alarm_->set(kEvery);
}

void LoopWatch::on_alarm(void* self) {
  auto& watch = *static_cast<LoopWatch*>(self);
  const std::chrono::duration<double> late = watch.clock_.steady() - watch.planned_;
  watch.gauge_.set(std::max(late.count(), 0.0));
  watch.plan();
}

}  // namespace headgate::server
