#include "headgate/balance/places.hpp"

namespace headgate::balance {

bool Places::take() noexcept {
  auto taken = taken_.load(std::memory_order_relaxed);
  while (taken < most())
    if (taken_.compare_exchange_weak(taken, taken + 1, std::memory_order_seq_cst, std::memory_order_relaxed))
      return true;
  return false;
}

void Places::leave(Duration held) noexcept {
  taken_.fetch_sub(1, std::memory_order_seq_cst);
  if (held <= Duration(0)) return;
  constexpr int kOf = 8;
  const auto usual = usual_.load(std::memory_order_relaxed);
  usual_.store(usual == 0 ? held.count() : usual + (held.count() - usual) / kOf, std::memory_order_relaxed);
}

}  // namespace headgate::balance
