#include "headgate/services/top_board.hpp"

#include <algorithm>

namespace headgate::services {
namespace {

/// The division of a window into periods. The sum over a window may include up to one period that is older than the
/// window.
struct Division {
  std::chrono::seconds period;
  std::int64_t count;
};
constexpr std::array<Division, 2> kDivisions{{{std::chrono::seconds(10), 6}, {std::chrono::minutes(5), 12}}};

std::int64_t number_of(TopBoard::Steady now, const Division& division) noexcept {
  return now.time_since_epoch() / division.period;
}

}  // namespace

void TopBoard::add(std::array<Periods, 2>& to, const observe::HeavyList& list, Steady now) {
  for (std::size_t window = 0; window < to.size(); ++window) {
    const auto& division = kDivisions[window];
    const auto number = number_of(now, division);
    auto& kept = to[window].kept;
    if (kept.empty() || kept.back().number != number) kept.push_back({number, {}});
    kept.back().list.merge(list);
    while (kept.front().number < number - division.count) kept.pop_front();
  }
}

void TopBoard::add(const std::vector<observe::LimitSketches>& taken, Steady now) {
  const std::lock_guard lock(mutex_);
  for (const auto& each : taken) {
    auto& counted = limits_[each.limit];
    if (each.rejected) add(counted.rejected, each.rejected->list(), now);
    if (!each.allowed) continue;
    const auto allowed = each.allowed->list();
    add(counted.allowed, allowed, now);
    changing_.add(each.limit, allowed, now);
  }
}

TopBoard::Answer TopBoard::of(std::string_view limit, TopBy by, TopWindow window, Steady now) const {
  const auto& division = kDivisions[static_cast<std::size_t>(window)];
  const auto oldest = number_of(now, division) - division.count;
  const Steady from(std::chrono::duration_cast<Steady::duration>(division.period) * oldest);
  Answer answer{.list = {}, .covered = std::chrono::duration_cast<Duration>(now - std::max(from, begun_))};
  const std::lock_guard lock(mutex_);
  const auto known = limits_.find(limit);
  if (known == limits_.end()) return answer;
  const auto& counted = by == TopBy::rejected ? known->second.rejected : known->second.allowed;
  for (const auto& each : counted[static_cast<std::size_t>(window)].kept)
    if (each.number >= oldest) answer.list.merge(each.list);
  return answer;
}

std::vector<std::string> TopBoard::names(std::string_view prefix) const {
  std::vector<std::string> out;
  const std::lock_guard lock(mutex_);
  for (auto at = limits_.lower_bound(prefix); at != limits_.end() && at->first.starts_with(prefix); ++at)
    out.push_back(at->first);
  return out;
}

std::vector<std::string> TopBoard::changing(Steady now) {
  const std::lock_guard lock(mutex_);
  return changing_.changing(now);
}

std::optional<std::string> TopBoard::find(std::string_view limit,
                                          const std::function<bool(std::string_view)>& is) const {
  const std::lock_guard lock(mutex_);
  for (auto at = limits_.lower_bound(limit); at != limits_.end() && at->first.starts_with(limit); ++at) {
    if (at->first.size() > limit.size() && at->first[limit.size()] != '@') continue;
    for (const auto* counted : {&at->second.rejected, &at->second.allowed})
      for (const auto& periods : *counted)
        for (const auto& period : periods.kept)
          for (const auto& key : period.list.keys)
            if (is(key.key)) return key.key;
  }
  return std::nullopt;
}

}  // namespace headgate::services
