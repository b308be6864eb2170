#include "statuses.hpp"

#include "gateway/limits/limit_fields.hpp"

#include "headgate/gateway/descriptors/rate_limit_call.hpp"
#include "headgate/limit/algorithm.hpp"

#include <algorithm>
#include <chrono>
#include <string>

namespace headgate::gateway {
namespace {

envoy::RateUnit rate_unit_of(const limit::Rule& rule) noexcept {
  using std::chrono::hours;
  if (rule.rate.month) return envoy::RateUnit::month;
  if (rule.rate.period == std::chrono::seconds(1)) return envoy::RateUnit::second;
  if (rule.rate.period == std::chrono::minutes(1)) return envoy::RateUnit::minute;
  if (rule.rate.period == hours(1)) return envoy::RateUnit::hour;
  if (rule.rate.period == hours(24)) return envoy::RateUnit::day;
  return envoy::RateUnit::none;
}

/// Returns the unit of the rate of a rule. A proxy that asks for a rate gets the unit that it has asked for.
envoy::RateUnit told_unit(const Exchange& x, std::size_t descriptor, const CheckedLimit& checked,
                          const limit::Rule& rule) noexcept {
  const auto& asked = x.rate_limit->request.descriptors[descriptor].rate;
  return asked && checked.tier->name == kAskedTier ? asked->unit : rate_unit_of(rule);
}

/// Returns the permits that the rule with this check has left. A rejected call has returned what earlier steps took.
std::uint64_t left_of(const Admission& a, std::size_t limit, std::size_t check) noexcept {
  const auto& decision = a.decisions[check];
  const auto cost = a.checks[check].cost;
  const bool returned = a.outcome == Admission::Outcome::rejected && limit < a.held && decision.allowed && cost > 0 &&
                        !a.checks[check].rule->count_rejected;
  return returned ? std::min(decision.remaining + static_cast<std::uint64_t>(cost), decision.limit)
                  : decision.remaining;
}

std::int64_t told_seconds(Duration wait) noexcept {
  return wait >= limit::kNever ? 0 : static_cast<std::int64_t>(wait > Duration(0) ? seconds_up(wait) : 0);
}

bool is_plain_ascii(std::string_view text) noexcept {
  return std::ranges::all_of(text, [](unsigned char c) { return c >= ' ' && c < 0x7F; });
}

void tell_limit(std::string_view limit, std::string_view key, envoy::RateLimitResponse& out) {
  out.metadata.emplace_back("limit", limit);
  if (is_plain_ascii(key)) out.metadata.emplace_back("key", key);
}

void tell_retry_after(Exchange& x, Duration wait, envoy::RateLimitResponse& out) {
  x.retry_after = std::chrono::seconds(seconds_up(wait));
  out.headers.emplace_back(
      "Retry-After", x.text.write(TextCursor::kMaxDigits, [wait](TextCursor& text) { text.number(seconds_up(wait)); }));
}

}  // namespace

envoy::DescriptorStatus status_of(const std::string& limit, const limit::Rule& rule) {
  return {.limit = limit, .count = rule.rate.count, .unit = rate_unit_of(rule)};
}

envoy::DescriptorStatus decided_status(const Exchange& x, std::size_t descriptor) {
  const auto& a = x.admission;
  envoy::DescriptorStatus out;
  const limit::Decision* told = nullptr;
  for (std::size_t i = 0; i < a.limits.size(); ++i) {
    const auto& checked = a.limits[i];
    if (x.rate_limit->of_limit[i] != descriptor || checked.route_limit->limit->mode == limit::Mode::observe) continue;
    for (std::size_t at = checked.first; at < checked.first + std::size_t{checked.count}; ++at) {
      const auto& decision = a.decisions[at];
      if (!decision.checked || (told != nullptr && !limit::binds_before(decision, *told))) continue;
      told = &decision;
      out = status_of(checked.route_limit->limit->name, *a.checks[at].rule);
      out.unit = told_unit(x, descriptor, checked, *a.checks[at].rule);
      out.over = !decision.allowed;
      out.remaining = left_of(a, i, at);
      out.reset_seconds = told_seconds(decision.allowed ? decision.reset_after : decision.retry_after);
    }
  }
  return out;
}

bool refuse_empty_rates(Exchange& x, envoy::RateLimitResponse& out) {
  for (const auto& matched : x.rate_limit->matched) {
    const auto& asked = x.rate_limit->request.descriptors[matched.descriptor].rate;
    if (!asked || asked->count > 0 || asked->unit == envoy::RateUnit::none) continue;
    const auto enforced = std::ranges::find(matched.route->plan, limit::Mode::enforce,
                                            [](const RouteLimit& each) { return each.limit->mode; });
    if (enforced == matched.route->plan.end()) continue;
    const auto& name = enforced->limit->name;
    out.statuses[matched.descriptor] = {.over = true, .limit = name, .unit = asked->unit};
    if (!out.over) {
      x.route = matched.route;
      x.problem_limit = name;
      out.metadata.emplace_back("limit", name);
    }
    out.over = true;
  }
  return out.over;
}

void tell_binding(Exchange& x, Duration suspended, envoy::RateLimitResponse& out) {
  auto& a = x.admission;
  if (a.binding == nullptr) return;
  auto& wait = a.decisions[a.rule].retry_after;
  const bool passes_later = out.over && wait < limit::kNever;
  if (passes_later) wait = std::max(wait, suspended);
  http::Fields fields;
  append_limit_fields(x, x.snapshot->compiled->options().rejection.headers, out.over ? 429 : 200, fields);
  out.headers.reserve(fields.size() + 1);  // Retry-After
  for (const auto& field : fields) out.headers.emplace_back(field.name, field.value);
  if (passes_later) tell_retry_after(x, wait, out);
  tell_limit(a.binding->route_limit->limit->name, a.checks[a.rule].key, out);
}

void tell_suspension(Exchange& x, Duration left, envoy::RateLimitResponse& out) {
  tell_retry_after(x, left, out);
  tell_limit(x.problem_limit, x.suspension.key, out);
}

}  // namespace headgate::gateway
