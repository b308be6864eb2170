#include "headgate/balance/recent_use.hpp"

namespace headgate::balance {
namespace {

std::int64_t second_of(RecentUse::Steady now) noexcept {
  return std::chrono::duration_cast<std::chrono::seconds>(now.time_since_epoch()).count();
}

}  // namespace

void RecentUse::note(Steady now, const ServerResults& results) noexcept {
  const auto second = second_of(now);
  if (second - halved_ >= static_cast<std::int64_t>(kSlots)) {
    latencies_.halve();
    halved_ = second;
  }
  const auto failed = results.failures() - results.of(AttemptOutcome::no_connection);
  const auto attempts = results.heads() + results.of(AttemptOutcome::timeout) + results.of(AttemptOutcome::broken) +
                        results.of(AttemptOutcome::no_connection);
  if (attempts == 0 && results.late == 0) return;
  auto& slot = slots_[static_cast<std::size_t>(second) % kSlots];
  if (slot.second != second) slot = {.second = second};
  slot.attempts += attempts;
  slot.errors += failed + results.late;
  slot.not_connected += results.of(AttemptOutcome::no_connection);
  latencies_.add(results.latencies);
}

/// Averages over the last whole seconds, without the current one.
RecentUse::Rates RecentUse::rates(Steady now) const noexcept {
  const auto second = second_of(now);
  Rates out;
  for (const auto& slot : slots_) {
    if (slot.second < 0 || slot.second >= second || second - slot.second > static_cast<std::int64_t>(kSlots) - 1)
      continue;
    out.attempts += slot.attempts;
    out.errors += slot.errors;
    out.not_connected += slot.not_connected;
  }
  constexpr double kSeconds = kSlots - 1;
  out.attempts /= kSeconds;
  out.errors /= kSeconds;
  out.not_connected /= kSeconds;
  out.p95 = latencies_.quantile(95);
  return out;
}

}  // namespace headgate::balance
