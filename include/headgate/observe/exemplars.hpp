#pragma once
// Exemplars: one traced request for each bucket of a histogram, so that a slow request can be examined in detail.

#include "headgate/core/time.hpp"

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace headgate::observe {

/// A request that stands for its bucket.
struct Exemplar {
  std::string trace_id;  ///< id of the trace: 32 hexadecimal digits
  Duration value{0};
  Instant when;
};

/// The newest traced request of each bucket. One thread writes and any thread reads; neither waits.
class Exemplars {
 public:
  static constexpr std::size_t kMax = 14;     ///< largest number of buckets
  static constexpr std::size_t kDigits = 32;  ///< digits of a trace id

  /// Replaces the exemplar of a bucket. Ignores a trace id of another length than kDigits.
  void record(std::size_t bucket, std::string_view trace_id, Duration value, Instant when) noexcept;
  /// Returns the exemplar of a bucket; empty if there is none or if it is being replaced at this moment.
  std::optional<Exemplar> read(std::size_t bucket) const;

 private:
  static constexpr std::size_t kWords = kDigits / sizeof(std::uint64_t);
  struct Cell {
    std::atomic<std::uint32_t> version{0};  ///< odd during a write; 0 if empty
    std::array<std::atomic<std::uint64_t>, kWords> id{};
    std::atomic<std::int64_t> value{0};  ///< value in microseconds
    std::atomic<std::int64_t> when{0};   ///< time in microseconds since 1970
  };
  std::array<Cell, kMax> cells_;
};

}  // namespace headgate::observe
