#include "extension.hpp"

#include "gateway/bodies/body_values.hpp"
#include "gateway/limits/outage.hpp"
#include "holds.hpp"

#include "headgate/gateway/cost_source.hpp"

#include <algorithm>
#include <limits>

namespace headgate::gateway {
namespace {

constexpr std::int64_t kNoBound = std::numeric_limits<std::int64_t>::max();
/// The bytes of an answer after which a hold of money is compared again: a chunk with one token has more.
constexpr std::int64_t kBytesOfMoneyStep = 64;

std::int64_t cost_so_far(const Exchange& x, const CheckedLimit& checked) noexcept {
  const auto& cost = checked.route_limit->cost;
  return cost.from->so_far(x, cost);
}

}  // namespace

bool Extension::extends(const CheckedLimit& checked) const noexcept {
  return !x_.admission.returned && checked.route_limit->cost.hold.extends && checked.asked_at != Clock::Steady() &&
         checked.decision == LimitDecision::allowed && checked.route_limit->limit->mode == limit::Mode::enforce;
}

std::int64_t Extension::held(const CheckedLimit& checked) const noexcept {
  return x_.admission.checks[checked.first].cost;
}

// A token has at least one byte, so an answer must grow by as many bytes as there are tokens left.
bool Extension::is_due() noexcept {
  const auto passed = x_.bodies->answer_bytes();
  if (passed < next_at_) return false;
  auto least = kNoBound;
  for (const auto& checked : x_.admission.limits) {
    if (!extends(checked) || held(checked) >= checked.route_limit->cost.most) continue;
    const auto unused = held(checked) - cost_so_far(x_, checked);
    least = std::min(least, checked.route_limit->cost.priced && unused > 0 ? kBytesOfMoneyStep : unused);
  }
  next_at_ = least == kNoBound ? std::numeric_limits<std::uint64_t>::max()
                               : passed + static_cast<std::uint64_t>(std::max<std::int64_t>(least, kBytesOfMoneyStep));
  return least <= 0;
}

/// Adds the checks of the limits in this store whose hold is used up. `most` bounds their cost.
void Extension::collect(bool in_redis, std::int64_t most, Asked& out) {
  auto& a = x_.admission;
  for (auto& checked : a.limits) {
    if (!extends(checked) || (checked.source == Source::redis) != in_redis) continue;
    const auto used = cost_so_far(x_, checked);
    const auto room = checked.route_limit->cost.most - held(checked);
    if (used < held(checked) || room <= 0) continue;
    const auto more = std::min({used - held(checked) + std::max<std::int64_t>(held(checked) / 4, 1), room, most});
    for (std::size_t i = checked.first; i < checked.first + std::size_t{checked.count}; ++i) {
      out.checks.push_back(a.checks[i]);
      out.checks.back().cost = more;
      out.limits.push_back(&checked);
      out.at.push_back(i);
    }
  }
  out.decisions.resize(out.checks.size());
}

Task<Result<bool>> Extension::decide(Asked& here, Asked& there) {
  if (!here.checks.empty() && !path_.services.memory.decide(here.checks, path_.services.clock.wall(), here.decisions))
    co_return false;
  if (there.checks.empty()) co_return true;
  auto call = x_.snapshot->redis->decide(there.checks, there.decisions);
  auto agreed = co_await call;
  if (agreed.has_error() || !*agreed) give_back(here);
  co_return agreed;
}

void Extension::give_back(const Asked& asked) {
  if (!asked.checks.empty()) path_.services.memory.give_back(asked.checks, path_.services.clock.wall());
}

void Extension::taken(const Asked& asked) {
  auto& a = x_.admission;
  for (std::size_t k = 0; k < asked.checks.size(); ++k) {
    auto& checked = *asked.limits[k];
    a.checks[asked.at[k]].cost += asked.checks[k].cost;
    raise_hold(x_, asked.checks[k], asked.decisions[k].reset_after);
    if (asked.at[k] == checked.first) checked.used += asked.checks[k].cost;
    if (checked.source == Source::fallback)
      path_.outage->counted(x_, checked, asked.at[k] - checked.first, asked.checks[k]);
    // The sum can be given back as long as its older part, so the decision about the older part stays.
    a.decisions[asked.at[k]].remaining = asked.decisions[k].remaining;
  }
}

std::int64_t Extension::left(const Asked& here, const Asked& there) {
  auto least = kNoBound;
  for (const auto* const asked : {&here, &there}) {
    for (std::size_t k = 0; k < asked->checks.size(); ++k) {
      const auto& decision = asked->decisions[k];
      if (decision.allowed || decision.retry_after <= Duration(0)) continue;
      const auto remaining = static_cast<std::int64_t>(decision.remaining);
      if (remaining >= least) continue;
      least = remaining;
      x_.problem_limit = asked->limits[k]->route_limit->limit->name;
    }
  }
  return least == kNoBound ? 0 : least;
}

Task<bool> Extension::take() {
  auto most = kNoBound;
  for (int tries = 0; tries < 2; ++tries) {
    Asked here;
    Asked there;
    collect(false, most, here);
    collect(true, most, there);
    const auto agreed = co_await decide(here, there);
    if (agreed.has_error()) co_return true;
    if (*agreed) {
      taken(here);
      taken(there);
      x_.problem_limit = {};
      next_at_ = 0;
      co_return true;
    }
    most = left(here, there);
    if (most <= 0) break;
  }
  co_return false;
}

}  // namespace headgate::gateway
