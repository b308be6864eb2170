#include "scatter.hpp"

#include <algorithm>
#include <limits>

namespace headgate::redis {
namespace {

constexpr std::uint64_t kNeverRefuses = std::numeric_limits<std::uint64_t>::max();

std::uint64_t burst_of(const limit::Ask& ask) {
  return ask.how == limit::How::take && ask.cost > 0 ? ask.rule->burst : kNeverRefuses;
}

/// A charge, or a debt, is for a request that has already been let through: it stays, whatever the others say.
bool took(const limit::Ask& ask, const limit::Verdict& verdict) {
  const bool stays = ask.how == limit::How::charge || ask.how == limit::How::debt;
  return ask.cost > 0 && !stays && verdict.allowed;
}

}  // namespace

Scatter::Scatter(std::span<const limit::Ask> asks, std::span<const std::uint16_t> slots) {
  for (std::size_t i = 0; i < asks.size(); ++i) {
    const auto known = std::find_if(groups_.begin(), groups_.end(), [&](const Group& g) { return g.slot == slots[i]; });
    if (known == groups_.end()) {
      groups_.push_back({slots[i], 0, 1, burst_of(asks[i])});
    } else {
      ++known->count;
      known->burst = std::min(known->burst, burst_of(asks[i]));
    }
  }
  std::stable_sort(groups_.begin(), groups_.end(), [](const Group& a, const Group& b) { return a.burst < b.burst; });
  for (auto& group : groups_) {
    group.first = asks_.size();
    for (std::size_t i = 0; i < asks.size(); ++i) {
      if (slots[i] != group.slot) continue;
      asks_.push_back(asks[i]);
      places_.push_back(i);
    }
  }
  verdicts_.resize(asks_.size());
}

std::span<const limit::Ask> Scatter::asks(const Group& group) const noexcept {
  return std::span(asks_.data(), asks_.size()).subspan(group.first, group.count);
}

std::span<limit::Verdict> Scatter::verdicts(const Group& group) noexcept {
  return std::span(verdicts_.data(), verdicts_.size()).subspan(group.first, group.count);
}

void Scatter::tell(const Group& group, std::span<limit::Verdict> verdicts) const {
  for (std::size_t i = group.first; i < group.first + group.count; ++i) verdicts[places_[i]] = verdicts_[i];
}

Debt Scatter::take_back(const Group& group) {
  Debt debt;
  debt.slot = group.slot;
  for (std::size_t i = group.first; i < group.first + group.count; ++i) {
    const limit::Ask& ask = asks_[i];
    limit::Verdict& verdict = verdicts_[i];
    if (!took(ask, verdict)) continue;
    debt.rules.push_back(*ask.rule);
    debt.subjects.emplace_back(ask.subject);
    debt.costs.push_back(ask.cost);
    verdict.remaining = std::min(verdict.limit, verdict.remaining + static_cast<std::uint64_t>(ask.cost));
    verdict.delay = Duration(0);
  }
  return debt;
}

}  // namespace headgate::redis
