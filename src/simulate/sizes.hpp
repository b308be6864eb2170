#pragma once
// The sizes of a rule that are tried: whole numbers with two significant digits.

#include "headgate/limit/algorithm.hpp"
#include "headgate/limit/limit.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace headgate::simulate {

/// The property of a rule that is searched.
enum class Dimension : std::uint8_t { rate, burst };

/// Returns the number at index `at` of the sequence 1, 2 … 99, 100, 110 … 990, 1000 ….
std::uint64_t size_at(std::size_t at) noexcept;
/// Returns how many sizes there are, up to kMaxRequests.
std::size_t sizes() noexcept;

/// Returns the rule with another size; empty if its algorithm does not allow that.
std::optional<limit::Rule> resized(const limit::Rule& rule, Dimension dimension, std::uint64_t size);

/// A search for the smallest size for which a condition holds. If the condition holds for a size, it must hold for all
/// larger sizes. Several sizes are tried in one run.
class SizeSearch {
 public:
  explicit SizeSearch(std::size_t most) noexcept : over_(most) {}

  bool done() const noexcept { return under_ == over_; }
  /// Returns the index of the size to try as number `nth` (from 0) of `count`. At the end of the search an index may be
  /// returned twice.
  std::size_t tried(std::size_t nth, std::size_t count) const noexcept {
    return under_ + (over_ - under_) * (nth + 1) / (count + 1);
  }
  void tell(std::size_t index, bool holds) noexcept {
    if (holds)
      over_ = std::min(over_, std::max(index, under_));
    else
      under_ = std::max(under_, std::min(index + 1, over_));
  }
  /// Returns the index that was found, once done() is true; `most` if the condition holds for no size.
  std::size_t found() const noexcept { return over_; }

 private:
  std::size_t under_ = 0;  ///< the condition holds for no index below this one
  std::size_t over_;       ///< the condition holds from this index on, or no size is left
};

}  // namespace headgate::simulate
