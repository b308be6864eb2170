#include "rank_tree.hpp"

#include <algorithm>
#include <new>

namespace headgate::limit {
namespace {

constexpr RankTree::Rank kLow = RankTree::kHigh - 1;

}  // namespace

RankTree::RankTree(std::size_t places) {
  const auto whole_nodes = [](std::size_t count) { return (count + kWays - 1) / kWays * kWays; };
  std::size_t total = whole_nodes(places);
  std::size_t count = places;
  do {
    count = whole_nodes(count) / kWays;
    total += 2 * whole_nodes(count);
    ++depth_;
  } while (count > 1);
  // calloc is used because fresh pages are zero already and take no memory until written.
  memory_.reset(static_cast<Rank*>(std::calloc(total, sizeof(Rank))));
  if (memory_ == nullptr) throw std::bad_alloc();
  Rank* next = memory_.get();
  count = places;
  for (std::size_t level = 0; level < depth_; ++level) {
    levels_[level].high = levels_[level].low = next;
    next += whole_nodes(count);
    if (level > 0) {
      levels_[level].low = next;
      next += whole_nodes(count);
    }
    count = whole_nodes(count) / kWays;
  }
}

void RankTree::set(std::size_t place, Rank rank) noexcept {
  if (at(place) == rank) return;
  levels_[0].high[place] = rank;
  for (std::size_t level = 1; level < depth_; ++level) {
    place /= kWays;
    const Rank* const high_node = levels_[level - 1].high + place * kWays;
    const Rank* const low_node = levels_[level - 1].low + place * kWays;
    Rank high = 0;
    Rank low = 0;
    for (std::size_t i = 0; i < kWays; ++i) high = std::max(high, high_node[i]);
    for (std::size_t i = 0; i < kWays; ++i) low = std::max(low, low_node[i] & kLow);
    if (levels_[level].high[place] == high && levels_[level].low[place] == low) return;
    levels_[level].high[place] = high;
    levels_[level].low[place] = low;
  }
}

std::size_t RankTree::first() const noexcept {
  std::size_t place = 0;
  for (std::size_t level = depth_ - 1; level-- > 0;) {
    place *= kWays;
    while (levels_[level].high[place] != highest()) ++place;
  }
  return place;
}

std::size_t RankTree::first_by_low() const noexcept {
  std::size_t place = 0;
  for (std::size_t level = depth_ - 1; level-- > 0;) {
    place *= kWays;
    while ((levels_[level].low[place] & kLow) != highest_low()) ++place;
  }
  return place;
}

}  // namespace headgate::limit
