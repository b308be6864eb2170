#include "headgate/shed/fair_queue.hpp"

#include <algorithm>
#include <iterator>

namespace headgate::shed {

Waiter* FairQueue::push(Waiter& waiter) {
  Waiter* leaves = nullptr;
  if (size_ >= bound_) {
    leaves = last_of_longest(waiter);
    if (leaves == nullptr) return &waiter;
    remove(*leaves);
  }
  auto& rank = rank_of(waiter.priority);
  const auto [at, added] = rank.by_key.try_emplace(waiter.key, rank.lines.end());
  if (added) {
    at->second = rank.lines.emplace(rank.lines.end());
    at->second->key = waiter.key;
  } else {
    rank.by_length.erase(place(*at->second));
  }
  auto& line = *at->second;
  line.waiters.push_back(waiter);
  rank.by_length.insert(place(line));
  waiter.queued = true;
  ++size_;
  return leaves;
}

Waiter* FairQueue::next() {
  for (auto& rank : ranks_) {
    while (!rank.lines.empty()) {
      auto& line = rank.lines.front();
      if (!line.has_turn) {
        line.deficit += kQuantum;
        line.has_turn = true;
      }
      if (line.waiters.front().cost <= line.deficit) return &line.waiters.front();
      line.has_turn = false;
      rank.lines.splice(rank.lines.end(), rank.lines, rank.lines.begin());
    }
  }
  return nullptr;
}

void FairQueue::serve(Waiter& waiter) noexcept {
  auto& rank = rank_of(waiter.priority);
  const auto line = rank.by_key.find(waiter.key)->second;
  line->deficit -= std::min(waiter.cost, line->deficit);
  if (line->waiters.size() > 1 && line->waiters.begin()->cost > line->deficit) {
    line->has_turn = false;
    rank.lines.splice(rank.lines.end(), rank.lines, line);
  }
  remove(waiter);
}

void FairQueue::remove(Waiter& waiter) noexcept {
  if (!waiter.queued) return;
  waiter.queued = false;
  --size_;
  auto& rank = rank_of(waiter.priority);
  const auto at = rank.by_key.find(waiter.key);
  const auto line = at->second;
  rank.by_length.erase(place(*line));
  line->waiters.erase(line->waiters.iterator_to(waiter));
  if (!line->waiters.empty()) {
    rank.by_length.insert(place(*line));
    return;
  }
  // A line without waiting requests loses its remaining turns. Otherwise a caller could save up turns.
  rank.by_key.erase(at);
  rank.lines.erase(line);
}

/// Returns the request that has to leave for the newcomer: the last one of the longest line of the lowest priority.
/// Null if the newcomer itself has to leave.
Waiter* FairQueue::last_of_longest(const Waiter& newcomer) noexcept {
  for (std::size_t i = kPriorities; i-- > static_cast<std::size_t>(newcomer.priority);) {
    auto& rank = ranks_[i];
    if (rank.by_length.empty()) continue;
    const auto& [length, key] = *std::prev(rank.by_length.end());
    const auto own = rank.by_key.find(newcomer.key);
    const auto own_length = own == rank.by_key.end() ? 0 : own->second->waiters.size();
    const bool same_rank = i == static_cast<std::size_t>(newcomer.priority);
    if (same_rank && own_length + 1 >= length) return nullptr;
    return &rank.by_key.find(Hash{key.first, key.second})->second->waiters.back();
  }
  return nullptr;
}

}  // namespace headgate::shed
