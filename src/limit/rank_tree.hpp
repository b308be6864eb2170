#pragma once
// A tree that finds the highest of many ranks, with sixteen children for each node. KeyTable uses it to choose the
// counter to evict.

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>

namespace headgate::limit {

/// A tree with one rank for each of a fixed number of places. Finds the place of the highest rank, and of the highest
/// rank without its two top bits. A change and a search each touch one node on each level; a million places have five
/// levels. Memory is touched as it fills. Not thread-safe.
class RankTree {
 public:
  using Rank = std::int64_t;                     ///< 0 if the place is empty; otherwise above 0 and below 4 * kHigh
  static constexpr Rank kHigh = Rank{1} << 61U;  ///< the lower of the two bits that first_by_low() ignores

  explicit RankTree(std::size_t places);

  Rank at(std::size_t place) const noexcept { return levels_[0].high[place]; }
  void set(std::size_t place, Rank rank) noexcept;

  Rank highest() const noexcept { return levels_[depth_ - 1].high[0]; }
  Rank highest_low() const noexcept { return levels_[depth_ - 1].low[0]; }
  std::size_t first() const noexcept;  ///< returns a place that has the rank highest(), which must not be 0
  /// returns a place whose rank without the two top bits is highest_low(), which must not be 0
  std::size_t first_by_low() const noexcept;

 private:
  static constexpr std::size_t kWays = 16;
  static constexpr std::size_t kMaxLevels = 10;
  struct Freed {
    void operator()(Rank* ranks) const noexcept { std::free(ranks); }
  };
  /// For each node of the level below, its two maxima. On the lowest level, both are the rank itself.
  struct Level {
    Rank* high = nullptr;
    Rank* low = nullptr;
  };

  std::array<Level, kMaxLevels> levels_;
  std::size_t depth_ = 1;
  std::unique_ptr<Rank[], Freed> memory_;
};

}  // namespace headgate::limit
