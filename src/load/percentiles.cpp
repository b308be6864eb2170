#include "headgate/load/percentiles.hpp"

#include <algorithm>
#include <bit>
#include <chrono>
#include <cmath>

namespace headgate::load {
namespace {

constexpr unsigned kBits = 6;  // gives 64 ranges for each power of two
constexpr std::uint64_t kExact = std::uint64_t{1} << (kBits + 1);
constexpr std::uint64_t kLongest = std::chrono::microseconds(std::chrono::hours(24)).count();

/// Returns the number of low bits in which the values of one range differ.
constexpr unsigned shift_of(std::uint64_t value) noexcept {
  return value < kExact ? 0 : static_cast<unsigned>(std::bit_width(value)) - kBits - 1;
}

constexpr std::size_t place_of(std::uint64_t value) noexcept {
  const auto shift = shift_of(value);
  return (std::size_t{shift} << kBits) + static_cast<std::size_t>(value >> shift);
}

constexpr std::uint64_t last_of(std::size_t place) noexcept {
  if (place < kExact) return place;
  const auto shift = (place >> kBits) - 1;
  return ((place - (shift << kBits) + 1) << shift) - 1;
}

}  // namespace

Percentiles::Percentiles() : counts_(place_of(kLongest) + 1) {}

void Percentiles::add(Duration took) noexcept {
  const auto value = std::min(static_cast<std::uint64_t>(std::max<Duration::rep>(took.count(), 0)), kLongest);
  ++counts_[place_of(value)];
  ++count_;
  sum_ += value;
  max_ = std::max(max_, Duration(static_cast<Duration::rep>(value)));
}

Duration Percentiles::at(double share) const noexcept {
  if (count_ == 0) return Duration(0);
  const auto wanted =
      std::clamp<std::uint64_t>(static_cast<std::uint64_t>(std::ceil(share * static_cast<double>(count_))), 1, count_);
  std::uint64_t passed = 0;
  for (std::size_t place = 0; place < counts_.size(); ++place) {
    passed += counts_[place];
    if (passed >= wanted) return std::min(Duration(static_cast<Duration::rep>(last_of(place))), max_);
  }
  return max_;
}

Duration Percentiles::mean() const noexcept {
  return Duration(static_cast<Duration::rep>(count_ == 0 ? 0 : sum_ / count_));
}

void Percentiles::clear() noexcept {
  std::fill(counts_.begin(), counts_.end(), 0);
  count_ = sum_ = 0;
  max_ = Duration(0);
}

}  // namespace headgate::load
