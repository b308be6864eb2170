#include "headgate/balance/health.hpp"

#include <algorithm>
#include <chrono>

namespace headgate::balance {

Health::Change Health::note(Result result, const HealthRule& rule) noexcept {
  const bool passed = result == Result::passed;
  const bool first = !known_;
  known_ = true;
  if (passed == up_) {
    against_ = 0;
    return Change::none;
  }
  ++against_;
  if (!first && against_ < (up_ ? rule.down_after : rule.up_after)) return Change::none;
  against_ = 0;
  up_ = passed;
  return passed ? Change::up : Change::down;
}

Duration until_next_check(Duration every, std::uint64_t random) noexcept {
  const auto tenth = every / 10;
  const auto span = static_cast<std::uint64_t>(tenth.count()) * 2 + 1;
  return every - tenth + Duration(static_cast<Duration::rep>(random % span));
}

Duration until_first_check(Duration every, std::size_t at, std::size_t count) noexcept {
  const auto span = std::min<Duration>(every, std::chrono::seconds(1));
  return count == 0 ? Duration(0) : span * static_cast<Duration::rep>(at) / static_cast<Duration::rep>(count);
}

}  // namespace headgate::balance
