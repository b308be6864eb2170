#include "headgate/balance/latencies.hpp"

namespace headgate::balance {

Duration Latencies::quantile(unsigned percent) const noexcept {
  if (total_ == 0) return Duration(0);
  const auto wanted = (std::uint64_t{total_} * percent + 99) / 100;
  std::uint64_t seen = 0;
  for (std::size_t i = 0; i < kLatencyBuckets; ++i) {
    seen += counts_[i];
    if (seen >= wanted && seen > 0) return latency_bound(i);
  }
  return latency_bound(kLatencyBuckets - 1);
}

void Latencies::halve() noexcept {
  total_ = 0;
  for (auto& count : counts_) total_ += count /= 2;
}

}  // namespace headgate::balance
