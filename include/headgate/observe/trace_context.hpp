#pragma once
// Trace Context (W3C): the fields `traceparent` and `tracestate`, which join the spans of several services into one
// trace. Pure functions; any thread.

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace headgate::observe {

/// The content of a `traceparent`.
struct TraceContext {
  std::uint64_t high = 0, low = 0;  ///< id of the trace; never both 0
  std::uint64_t parent = 0;         ///< id of the sender's span; never 0
  bool sampled = false;             ///< true if the sender records its span
  bool random = false;              ///< true if the lower 56 bits of the trace id are random (level 2)
};

/// The value of a `traceparent` of version 00.
using TraceParent = std::array<char, 55>;

/// Parses a value strictly: lengths, lower-case hexadecimal digits, no id of zeros, not version ff. Of later versions
/// only the parts of version 00 are read. Empty if the value is invalid.
std::optional<TraceContext> parse_traceparent(std::string_view value) noexcept;
TraceParent to_traceparent(const TraceContext& context) noexcept;
/// Replaces the span id.
void put_span(TraceParent& text, std::uint64_t span) noexcept;
/// Returns the trace id, which has 32 digits.
std::string_view trace_of(const TraceParent& text) noexcept;
/// Returns the id as sixteen hexadecimal digits.
std::array<char, 16> hex_of(std::uint64_t id) noexcept;

/// Returns whether the values of the `tracestate` fields, in their order, are one valid list: at most 32 members, and
/// each key once.
bool is_tracestate(const std::vector<std::string_view>& values) noexcept;

/// Pseudo-random ids from a random seed. One thread.
class TraceIds {
 public:
  explicit TraceIds(std::uint64_t seed) noexcept : state_(seed) {}
  /// Returns the next id, which is never 0.
  std::uint64_t next() noexcept;
  /// Returns a seed that continues the sequence.
  std::uint64_t state() const noexcept { return state_; }

 private:
  std::uint64_t state_;
};

/// Returns whether the trace belongs to a share of `below` in 2^56 of all traces (W3C level 2, section 2.2.3). `low` is
/// random: the lower half of an id that was generated here, or a hash.
constexpr bool in_share(std::uint64_t low, std::uint64_t below) noexcept {
  return (low & ((std::uint64_t{1} << 56) - 1)) < below;
}
/// Returns the share of `millionths` in the unit of in_share().
constexpr std::uint64_t share_below(std::uint32_t millionths) noexcept {
  return millionths >= 1'000'000 ? std::uint64_t{1} << 56 : ((std::uint64_t{1} << 56) / 1'000'000) * millionths;
}

}  // namespace headgate::observe
