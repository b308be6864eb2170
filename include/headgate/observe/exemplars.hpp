#pragma once
// For each bucket of a histogram the trace of one request in it, so that a slow one can be looked at.

#include "headgate/core/time.hpp"

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace headgate::observe {

/// One request of a bucket.
struct Exemplar {
  std::string trace_id;  ///< 32 hexadecimal digits
  Duration value{0};
  Instant when;
};

/// The newest request of each bucket that is part of a trace. One thread writes, any thread reads: neither waits.
class Exemplars {
 public:
  static constexpr std::size_t kMax = 14;     ///< buckets
  static constexpr std::size_t kDigits = 32;  ///< of a trace id

  /// A trace id of another length is left out.
  void record(std::size_t bucket, std::string_view trace_id, Duration value, Instant when) noexcept;
  /// Nothing if there was none, or if it is being replaced at this moment.
  std::optional<Exemplar> read(std::size_t bucket) const;

 private:
  static constexpr std::size_t kWords = kDigits / sizeof(std::uint64_t);
  struct Cell {
    std::atomic<std::uint32_t> version{0};  ///< odd while it is written; 0: empty
    std::array<std::atomic<std::uint64_t>, kWords> id{};
    std::atomic<std::int64_t> value{0};  ///< microseconds
    std::atomic<std::int64_t> when{0};   ///< microseconds since 1970
  };
  std::array<Cell, kMax> cells_;
};

}  // namespace headgate::observe
