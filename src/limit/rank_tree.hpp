#pragma once
// Which of many goes first: ranks in a tree of sixteen to a node. Used by KeyTable to choose whom to
// forget.

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>

namespace headgate::limit {

/// A rank for each of a fixed number of places, and at any time the place of the highest: of all ranks, and of what of
/// them is below kHigh. Changing one and finding the highest each touch a node a level, of which there are few (five
/// for a million places). Memory is touched as it fills. Not thread-safe.
class RankTree {
 public:
  using Rank = std::int64_t;                     ///< 0: the place is empty; else above it, below 4 * kHigh
  static constexpr Rank kHigh = Rank{1} << 61U;  ///< the first of two bits that first_by_low() does not look at

  explicit RankTree(std::size_t places);

  Rank at(std::size_t place) const noexcept { return levels_[0].high[place]; }
  void set(std::size_t place, Rank rank) noexcept;

  Rank highest() const noexcept { return levels_[depth_ - 1].high[0]; }
  Rank highest_low() const noexcept { return levels_[depth_ - 1].low[0]; }
  std::size_t first() const noexcept;         ///< a place of rank highest(), which is not 0
  std::size_t first_by_low() const noexcept;  ///< a place of which the rank below kHigh is highest_low(), not 0

 private:
  static constexpr std::size_t kWays = 16;
  static constexpr std::size_t kMostLevels = 10;
  struct Freed {
    void operator()(Rank* ranks) const noexcept { std::free(ranks); }
  };
  /// The highest of each node of the level below; at the lowest level both are the ranks themselves.
  struct Level {
    Rank* high = nullptr;
    Rank* low = nullptr;
  };

  std::array<Level, kMostLevels> levels_;
  std::size_t depth_ = 1;
  std::unique_ptr<Rank[], Freed> memory_;
};

}  // namespace headgate::limit
