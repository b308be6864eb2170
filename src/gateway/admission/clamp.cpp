#include "clamp.hpp"

#include "gateway/answers/compressible.hpp"
#include "gateway/bodies/body_edits.hpp"
#include "gateway/bodies/body_values.hpp"
#include "gateway/limits/resolved_limit.hpp"
#include "gateway/limits/shards.hpp"

#include "headgate/gateway/cost_source.hpp"

#include <algorithm>
#include <utility>

namespace headgate::gateway {
namespace {

/// A hold of a limit, and the permits that are left for it.
struct TooLarge {
  const Cost* cost = nullptr;
  std::string_view key;
  std::int64_t hold = 0;
  std::int64_t left = 0;
};

std::int64_t hold_with(Exchange& x, const TooLarge& of, std::int64_t most) {
  const auto before = std::exchange(x.clamped, most);
  const auto hold = cost_of(x, *of.cost, of.key);
  x.clamped = before;
  return hold;
}

/// Returns the largest maximum of output whose hold fits, at least Hold::at_least; 0 if a maximum would not make the
/// hold smaller.
std::int64_t most_that_fits(Exchange& x, const TooLarge& of) {
  auto fits = of.cost->hold.at_least;
  if (hold_with(x, of, fits) >= of.hold) return 0;
  auto too_large = x.clamped > 0 ? x.clamped : scan::kMaxNumber;
  while (too_large - fits > 1) {
    const auto middle = fits + (too_large - fits) / 2;
    (hold_with(x, of, middle) <= of.left ? fits : too_large) = middle;
  }
  return fits;
}

/// Returns the hold of `checked`, and the least that one of its rules has left. Nothing of it is too large if no rule
/// has rejected it.
TooLarge too_large_of(const Admission& a, const CheckedLimit& checked) noexcept {
  TooLarge out{.cost = &checked.route_limit->cost, .key = counted_key(a, checked).key};
  for (std::size_t i = checked.first; i < checked.first + std::size_t{checked.count}; ++i) {
    if (a.decisions[i].allowed) continue;
    const auto left = static_cast<std::int64_t>(a.decisions[i].remaining);
    out.left = out.hold == 0 ? left : std::min(out.left, left);
    out.hold = a.checks[i].cost;
  }
  return out;
}

/// Returns the largest Hold::at_least of the route's limits; 0 if the maximum of one of them cannot be lowered, because
/// its hold would then be smaller than what the request allows.
std::int64_t least_of_all(const Exchange& x) noexcept {
  std::int64_t out = 0;
  for (const auto& each : x.route->plan) {
    if (!each.cost.hold.clamp) continue;
    if (!can_clamp(x, each.cost)) return 0;
    out = std::max(out, each.cost.hold.at_least);
  }
  return out;
}

}  // namespace

bool clamp_output(Exchange& x, const Round& round) {
  const auto& a = x.admission;
  if (!x.bodies || a.peek) return false;
  const auto at_least = least_of_all(x);
  std::int64_t most = 0;
  for (const auto& checked : round.limits()) {
    const auto& limit = *checked.route_limit->limit;
    if (limit.count_rejected) return false;  // the second question would count the request once more
    if (limit.mode == limit::Mode::observe) continue;
    const auto of = too_large_of(a, checked);
    if (of.hold == 0) continue;
    if (at_least == 0 || !is_settled(*of.cost) || !of.cost->hold.clamp) return false;
    const auto fits = most_that_fits(x, of);
    if (fits == 0) return false;
    most = most == 0 ? fits : std::min(most, fits);
  }
  if (most == 0) return false;
  most = std::max(most, at_least);
  if (at_least == 0 || (x.clamped > 0 && most >= x.clamped)) return false;
  if (std::ranges::any_of(x.request.fields, is_made_over_bytes)) return false;
  x.clamped = most;
  return true;
}

}  // namespace headgate::gateway
