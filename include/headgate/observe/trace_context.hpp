#pragma once
// Trace Context (W3C): the fields `traceparent` and `tracestate`, by which the spans of several services become one
// trace. Pure functions; any thread.

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace headgate::observe {

/// What a `traceparent` says.
struct TraceContext {
  std::uint64_t high = 0, low = 0;  ///< the id of the trace; never both 0
  std::uint64_t parent = 0;         ///< the id of the sender's span; never 0
  bool sampled = false;             ///< the sender records its span
  bool random = false;              ///< the lower 56 bits of the trace's id are random (level 2)
};

/// The value of a `traceparent` of version 00.
using TraceParent = std::array<char, 55>;

/// Reads a value strictly: lengths, lower-case hexadecimal digits, no id of zeros, not version ff. Of a later version
/// it reads what version 00 has. Nothing if it is not valid.
std::optional<TraceContext> parse_traceparent(std::string_view value) noexcept;
TraceParent to_traceparent(const TraceContext& context) noexcept;
/// Replaces the span in it.
void put_span(TraceParent& text, std::uint64_t span) noexcept;
/// The id of the trace in it, in 32 digits.
std::string_view trace_of(const TraceParent& text) noexcept;
/// Sixteen hexadecimal digits.
std::array<char, 16> hex_of(std::uint64_t id) noexcept;

/// Whether the values of the fields `tracestate`, in their order, are one valid list: at most 32 members, each key
/// once.
bool is_tracestate(const std::vector<std::string_view>& values) noexcept;

/// Ids that look random, from a random seed. One thread.
class TraceIds {
 public:
  explicit TraceIds(std::uint64_t seed) noexcept : state_(seed) {}
  /// Never 0.
  std::uint64_t next() noexcept;
  /// A seed that goes on after it.
  std::uint64_t state() const noexcept { return state_; }

 private:
  std::uint64_t state_;
};

/// Whether the trace is among a share of all: `below` of 2^56 (W3C level 2, section 2.2.3). `low` is random: the lower
/// half of an id that was begun here, or a hash.
constexpr bool in_share(std::uint64_t low, std::uint64_t below) noexcept {
  return (low & ((std::uint64_t{1} << 56) - 1)) < below;
}
/// The share of `millionths` as in_share() takes it.
constexpr std::uint64_t share_below(std::uint32_t millionths) noexcept {
  return millionths >= 1'000'000 ? std::uint64_t{1} << 56 : ((std::uint64_t{1} << 56) / 1'000'000) * millionths;
}

}  // namespace headgate::observe
