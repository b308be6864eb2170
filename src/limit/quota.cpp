#include "headgate/limit/quota.hpp"

#include <algorithm>
#include <chrono>

namespace headgate::limit {
namespace {

constexpr Duration kHalfADay = std::chrono::hours(12);

/// Returns a length that no window exceeds. If the time until the reset is longer than this, a debt is the reason, and
/// it does not show the end of this window.
Duration longest_window(const Rule& rule) noexcept {
  if (rule.calendar == nullptr) return rule.rate.period;
  const bool months = rule.calendar->unit() == Calendar::Unit::month;
  return months ? std::chrono::hours(31 * 24 + 1) : std::chrono::hours(25);
}

Calendar::Window window_at(const Rule& rule, Instant moment) noexcept {
  if (rule.calendar != nullptr) return rule.calendar->at(moment);
  const Instant start = moment - moment.time_since_epoch() % rule.rate.period;
  return {start, start + rule.rate.period};
}

}  // namespace

std::optional<QuotaUse> quota_use(const Decision& decision, bool taken) noexcept {
  if (decision.allowed ? !taken : decision.retry_after >= kNever) return std::nullopt;
  return QuotaUse{.used = decision.limit - std::min(decision.remaining, decision.limit),
                  .size = decision.limit,
                  .rejected = !decision.allowed};
}

std::uint8_t reached(std::span<const unsigned> percents, const QuotaUse& use) noexcept {
  constexpr unsigned kWhole = 100;
  unsigned bits = 0;
  for (std::size_t i = 0; i < percents.size(); ++i)
    if (use.used * kWhole >= use.size * percents[i] || (use.rejected && percents[i] == kWhole)) bits |= 1U << i;
  return static_cast<std::uint8_t>(bits);
}

Calendar::Window period_of(const Rule& rule, Instant asked, Duration reset_after) noexcept {
  if (reset_after <= Duration(0) || reset_after > longest_window(rule)) return window_at(rule, asked);
  const auto back = rule.calendar != nullptr ? kHalfADay : rule.rate.period / 2;
  return window_at(rule, asked + reset_after - back);
}

}  // namespace headgate::limit
