#include "headgate/observe/trace_context.hpp"

#include <algorithm>
#include <tuple>

namespace headgate::observe {
namespace {

constexpr std::string_view kHexDigits = "0123456789abcdef";
constexpr std::size_t kTraceAt = 3;
constexpr std::size_t kSpanAt = 36;
constexpr std::size_t kFlagsAt = 53;
constexpr std::size_t kMaxMembers = 32;

/// Parses lower-case hexadecimal digits. Empty if there is any other character.
std::optional<std::uint64_t> read_hex(std::string_view digits) noexcept {
  std::uint64_t out = 0;
  for (const char c : digits) {
    const auto digit = kHexDigits.find(c);
    if (digit == kHexDigits.npos) return std::nullopt;
    out = out << 4 | digit;
  }
  return out;
}

void write_hex(char* at, std::uint64_t id) noexcept {
  for (std::size_t i = 16; i > 0; --i, id >>= 4) at[i - 1] = kHexDigits[id & 15];
}

bool lower_or_digit(char c) noexcept { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); }

/// Returns whether `key` is valid by level 2 (section 3.3.2.2).
bool is_state_key(std::string_view key) noexcept {
  if (key.empty() || key.size() > 256 || !lower_or_digit(key.front())) return false;
  return std::all_of(key.begin(), key.end(), [](char c) {
    return lower_or_digit(c) || c == '_' || c == '-' || c == '*' || c == '/' || c == '@';
  });
}

bool is_state_value(std::string_view value) noexcept {
  if (value.size() > 256 || (!value.empty() && value.back() == ' ')) return false;
  return std::all_of(value.begin(), value.end(), [](char c) { return c >= ' ' && c <= '~' && c != ',' && c != '='; });
}

std::string_view without_blanks(std::string_view text) noexcept {
  const auto first = text.find_first_not_of(" \t");
  if (first == text.npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

}  // namespace

std::optional<TraceContext> parse_traceparent(std::string_view value) noexcept {
  constexpr std::size_t kSize = std::tuple_size_v<TraceParent>;
  if (value.size() < kSize || value[2] != '-' || value[kSpanAt - 1] != '-' || value[kFlagsAt - 1] != '-') return {};
  const auto version = read_hex(value.substr(0, 2));
  const auto high = read_hex(value.substr(kTraceAt, 16));
  const auto low = read_hex(value.substr(kTraceAt + 16, 16));
  const auto parent = read_hex(value.substr(kSpanAt, 16));
  const auto flags = read_hex(value.substr(kFlagsAt, 2));
  if (!version || !high || !low || !parent || !flags || *version == 0xff) return {};
  if (value.size() > kSize && (*version == 0 || value[kSize] != '-')) return {};
  if ((*high | *low) == 0 || *parent == 0) return {};
  return TraceContext{
      .high = *high, .low = *low, .parent = *parent, .sampled = (*flags & 1) != 0, .random = (*flags & 2) != 0};
}

TraceParent to_traceparent(const TraceContext& context) noexcept {
  TraceParent out;
  out.fill('0');
  out[2] = out[kSpanAt - 1] = out[kFlagsAt - 1] = '-';
  write_hex(out.data() + kTraceAt, context.high);
  write_hex(out.data() + kTraceAt + 16, context.low);
  write_hex(out.data() + kSpanAt, context.parent);
  out[kFlagsAt + 1] = kHexDigits[(context.sampled ? 1U : 0U) | (context.random ? 2U : 0U)];
  return out;
}

void put_span(TraceParent& text, std::uint64_t span) noexcept { write_hex(text.data() + kSpanAt, span); }

std::string_view trace_of(const TraceParent& text) noexcept { return {text.data() + kTraceAt, 32}; }

std::array<char, 16> hex_of(std::uint64_t id) noexcept {
  std::array<char, 16> out;
  write_hex(out.data(), id);
  return out;
}

bool is_tracestate(const std::vector<std::string_view>& values) noexcept {
  std::array<std::string_view, kMaxMembers> keys;
  std::size_t members = 0;
  for (auto rest : values) {
    while (!rest.empty()) {
      const auto comma = std::min(rest.find(','), rest.size());
      const auto member = without_blanks(rest.substr(0, comma));
      rest.remove_prefix(std::min(comma + 1, rest.size()));
      if (member.empty()) continue;  // Empty members are allowed (section 3.3.1.1).
      const auto equals = member.find('=');
      if (equals == member.npos || members == kMaxMembers) return false;
      const auto key = member.substr(0, equals);
      if (!is_state_key(key) || !is_state_value(member.substr(equals + 1))) return false;
      const auto* const end = keys.data() + members;
      if (std::find(static_cast<const std::string_view*>(keys.data()), end, key) != end) return false;
      keys[members++] = key;
    }
  }
  return true;
}

// Returns the next number of SplitMix64 other than 0, with one addition and two multiplications. Each number occurs
// once before the sequence repeats.
std::uint64_t TraceIds::next() noexcept {
  while (true) {
    auto out = state_ += 0x9e3779b97f4a7c15;
    out = (out ^ (out >> 30)) * 0xbf58476d1ce4e5b9;
    out = (out ^ (out >> 27)) * 0x94d049bb133111eb;
    out ^= out >> 31;
    if (out != 0) return out;
  }
}

}  // namespace headgate::observe
