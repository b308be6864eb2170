#include "billing.hpp"

#include "gateway/limits/shards.hpp"

#include "headgate/limit/use_sheet.hpp"

namespace headgate::gateway {

// The cost is also billed for a limit in observe mode, because the requests that the limit would reject are served.
void bill(Path& path, Exchange& x) {
  const auto& a = x.admission;
  auto* const sheet = path.services.sheet;
  if (a.returned || sheet == nullptr) return;
  const auto& days = x.snapshot->compiled->options().billing_days;
  const auto now = x.clock->wall();
  for (const auto& checked : a.limits) {
    if (!checked.route_limit->limit->bill || checked.asked_at == Clock::Steady()) continue;
    const auto key = a.checks[checked.first].key;
    sheet->add(days, now, checked.route_limit->ready->base, checked.shard == 0 ? key : without_shard(key),
               checked.used);
  }
  for (const auto& use : a.unchecked) sheet->add(days, now, use.route_limit->ready->base, use.key, use.used);
}

}  // namespace headgate::gateway
