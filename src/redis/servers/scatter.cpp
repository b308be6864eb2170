#include "scatter.hpp"

#include <algorithm>
#include <limits>

namespace headgate::redis {
namespace {

constexpr std::uint64_t kNeverRefuses = std::numeric_limits<std::uint64_t>::max();

std::uint64_t burst_of(const limit::Check& check) {
  return check.how == limit::How::take && check.cost > 0 ? check.rule->burst : kNeverRefuses;
}

/// Returns whether the check took permits that are given back if a later group rejects. The permits of a charge or a
/// debt stay taken, because the request of these checks has already passed.
bool took(const limit::Check& check, const limit::Decision& decision) {
  const bool stays = check.how == limit::How::charge || check.how == limit::How::debt;
  return check.cost > 0 && !stays && decision.allowed;
}

}  // namespace

Scatter::Scatter(std::span<const limit::Check> checks, std::span<const std::uint16_t> slots) {
  for (std::size_t i = 0; i < checks.size(); ++i) {
    const auto known = std::find_if(groups_.begin(), groups_.end(), [&](const Group& g) { return g.slot == slots[i]; });
    if (known == groups_.end()) {
      groups_.push_back({.slot = slots[i], .count = 1, .burst = burst_of(checks[i])});
    } else {
      ++known->count;
      known->burst = std::min(known->burst, burst_of(checks[i]));
    }
  }
  std::stable_sort(groups_.begin(), groups_.end(), [](const Group& a, const Group& b) { return a.burst < b.burst; });
  for (auto& group : groups_) {
    group.first = checks_.size();
    for (std::size_t i = 0; i < checks.size(); ++i) {
      if (slots[i] != group.slot) continue;
      checks_.push_back(checks[i]);
      places_.push_back(i);
    }
  }
  decisions_.resize(checks_.size());
}

std::span<const limit::Check> Scatter::checks(const Group& group) const noexcept {
  return std::span(checks_.data(), checks_.size()).subspan(group.first, group.count);
}

std::span<limit::Decision> Scatter::decisions(const Group& group) noexcept {
  return std::span(decisions_.data(), decisions_.size()).subspan(group.first, group.count);
}

void Scatter::tell(const Group& group, std::span<limit::Decision> decisions) const {
  for (std::size_t i = group.first; i < group.first + group.count; ++i) decisions[places_[i]] = decisions_[i];
}

Debt Scatter::take_back(const Group& group, Why why) {
  Debt debt;
  debt.slot = group.slot;
  for (std::size_t i = group.first; i < group.first + group.count; ++i) {
    const limit::Check& check = checks_[i];
    limit::Decision& decision = decisions_[i];
    if (!took(check, decision) || (why == Why::rejected && check.rule->count_rejected)) continue;
    debt.rules.push_back(*check.rule);
    debt.keys.emplace_back(check.key);
    debt.tokens.emplace_back(check.token);
    debt.costs.push_back(check.cost);
    decision.remaining += static_cast<std::uint64_t>(check.cost);
    if (decision.limit > 0) decision.remaining = std::min(decision.limit, decision.remaining);  // a balance has none
    decision.delay = Duration(0);
  }
  return debt;
}

}  // namespace headgate::redis
