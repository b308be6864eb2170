#include "split.hpp"

#include "gateway/limits/appointments.hpp"
#include "gateway/limits/limit_key.hpp"
#include "steps.hpp"

#include "headgate/core/hash.hpp"
#include "headgate/http/named_values.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace headgate::gateway {
namespace {

// The bytes "headsplt". If this number changed, every key could move to another share.
constexpr std::uint64_t kSplitKey = 0x68656164'73706C74;

bool forces(const Exchange& x, const SplitShare& share) noexcept {
  return std::any_of(share.when.begin(), share.when.end(), [&](const SplitWhen& when) {
    const auto found = when.in == SplitWhen::In::header ? http::field_of(x.request.fields, when.name)
                                                        : http::cookie_of(x.request.fields, when.name);
    return !found.twice && found.value == when.value;
  });
}

auto forced_share(const Exchange& x, const Split& split) noexcept {
  return std::find_if(split.shares.begin(), split.shares.end(), [&](const auto& share) { return forces(x, share); });
}

std::size_t share_of(Exchange& x, const CompiledSplit& split) {
  const auto& shares = split.options->shares;
  const auto forced = forced_share(x, *split.options);
  if (forced != shares.end()) return static_cast<std::size_t>(forced - shares.begin());
  if (!split.options->by.empty()) {
    const auto key = key_of(x, split.options->by);
    return share_of_key(shares, key ? *key : x.caller.ip_key);
  }
  if (x.admission.peek) return share_by_chance(shares, 0);
  return share_by_chance(shares, (*x.random)());
}

}  // namespace

std::size_t share_of_key(std::span<const SplitShare> shares, std::string_view key) noexcept {
  std::size_t best = 0;
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < shares.size(); ++i) {
    if (shares[i].weight == 0) continue;
    const auto digest = keyed_digest(key, {.low = shares[i].seed, .high = kSplitKey});
    // The value is evenly distributed between 0 and 1, exclusive.
    const double even = (static_cast<double>(digest >> 11U) + 0.5) * 0x1p-53;
    const double score = -std::log(even) / static_cast<double>(shares[i].weight);
    if (score >= least) continue;
    least = score;
    best = i;
  }
  return best;
}

std::size_t share_by_chance(std::span<const SplitShare> shares, std::uint64_t random) noexcept {
  std::uint64_t all = 0;
  for (const auto& share : shares) all += share.weight;
  // Weights are small compared with 2^64, so the remainder is distributed evenly enough.
  auto at = all == 0 ? 0 : random % all;
  std::size_t last = 0;
  for (std::size_t i = 0; i < shares.size(); ++i) {
    if (shares[i].weight == 0) continue;
    last = i;
    if (at < shares[i].weight) break;
    at -= shares[i].weight;
  }
  return last;
}

bool is_by_chance(const Exchange& x, const Split& split) {
  const auto drawn = [](const SplitShare& share) { return share.weight > 0; };
  return split.by.empty() && forced_share(x, split) == split.shares.end() &&
         std::count_if(split.shares.begin(), split.shares.end(), drawn) > 1;
}

MaybeProblem split(Path& /*path*/, Exchange& x) {
  change_route(x, *x.route->split->routes[share_of(x, *x.route->split)]);
  return {};
}

void change_route(Exchange& x, const Route& chosen) {
  const auto& whole = *x.route;
  // The plans of both routes have the same limits in the same places. Only the limits of the upstream differ, and the
  // request has not reached those yet.
  const auto same = [&](const RouteLimit* checked) { return chosen.plan.data() + (checked - whole.plan.data()); };
  for (auto& checked : x.admission.limits) checked.route_limit = same(checked.route_limit);
  if (x.appointments.kept && x.appointments.kept->of) x.appointments.kept->of = same(x.appointments.kept->of);
  x.route = &chosen;
}

}  // namespace headgate::gateway
