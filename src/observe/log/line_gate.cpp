#include "headgate/observe/line_gate.hpp"

#include <algorithm>
#include <utility>

namespace headgate::observe {

bool LineGate::pass(Time now) {
  const auto since = std::chrono::duration<double>(now - refilled_).count();
  tokens_ = refilled_ == Time{} ? kBurst : std::min(kBurst, tokens_ + since);
  refilled_ = now;
  if (tokens_ < 1) {
    ++left_out_;
    return false;
  }
  tokens_ -= 1;
  return true;
}

EventField LineGate::left_out() {
  const auto count = std::exchange(left_out_, 0);
  return count == 0 ? EventField() : EventField("lines_left_out", count);
}

}  // namespace headgate::observe
