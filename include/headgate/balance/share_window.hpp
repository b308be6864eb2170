#pragma once
// The share of failures among recent outcomes. Used by the circuit and the ejection.

#include "headgate/core/time.hpp"

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>

namespace headgate::balance {

/// Outcomes of the time `of_last`, counted in twenty parts that expire one by one. One thread.
class ShareWindow {
 public:
  using Steady = std::chrono::steady_clock::time_point;

  explicit ShareWindow(Duration of_last) : part_(of_last / kParts) {}

  /// Adds outcomes counted since the last call. `now` never decreases.
  void add(Steady now, std::uint32_t good, std::uint32_t bad) noexcept;
  std::uint64_t good() const noexcept { return good_; }
  std::uint64_t bad() const noexcept { return bad_; }
  std::uint64_t total() const noexcept { return good_ + bad_; }
  /// Returns whether the share of failures is at least `parts` / kWhole; false if there are no outcomes.
  bool reaches(std::uint32_t parts) const noexcept { return total() > 0 && bad_ * kWhole >= total() * parts; }
  void clear() noexcept;

  static constexpr std::uint64_t kWhole = 1'000'000;

 private:
  static constexpr std::size_t kParts = 20;
  struct Part {
    std::uint32_t good = 0;
    std::uint32_t bad = 0;
  };

  Duration part_;
  std::array<Part, kParts> parts_{};
  std::size_t at_ = 0;
  Steady begun_{};  ///< start of the part at `at_`
  std::uint64_t good_ = 0;
  std::uint64_t bad_ = 0;
};

}  // namespace headgate::balance
