#pragma once
// The sizes of a rule that are tried: whole numbers of two digits and zeros.

#include "headgate/limit/algorithm.hpp"
#include "headgate/limit/limit.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace headgate::simulate {

/// What of a rule is looked for.
enum class Dimension : std::uint8_t { rate, burst };

/// 1, 2 … 99, 100, 110 … 990, 1000 …: the number at `at`.
std::uint64_t size_at(std::size_t at) noexcept;
/// Returns how many there are, up to kMaxRequests.
std::size_t sizes() noexcept;

/// The rule with another size; nothing if its algorithm cannot have it.
std::optional<limit::Rule> resized(const limit::Rule& rule, Dimension dimension, std::uint64_t size);

/// The search for the smallest size with which something holds, when it holds for all larger ones. Several sizes are
/// tried at a time.
class SizeSearch {
 public:
  explicit SizeSearch(std::size_t most) noexcept : over_(most) {}

  bool done() const noexcept { return under_ == over_; }
  /// Which index is tried as number `nth` of `count`; the same one may come twice at the end.
  std::size_t tried(std::size_t nth, std::size_t count) const noexcept {
    return under_ + (over_ - under_) * (nth + 1) / (count + 1);
  }
  void tell(std::size_t index, bool holds) noexcept {
    if (holds)
      over_ = std::min(over_, std::max(index, under_));
    else
      under_ = std::max(under_, std::min(index + 1, over_));
  }
  /// When it is done: the index; as large as `most` if it holds for none.
  std::size_t found() const noexcept { return over_; }

 private:
  std::size_t under_ = 0;  ///< it holds for none below
  std::size_t over_;       ///< it holds here and above, or this is the end
};

}  // namespace headgate::simulate
