#include "slot_map.hpp"

#include <array>

namespace headgate::redis {
namespace {

constexpr std::array<std::uint16_t, 256> kCrc = [] {
  std::array<std::uint16_t, 256> table{};
  for (unsigned byte = 0; byte < 256; ++byte) {
    unsigned crc = byte << 8U;
    for (int bit = 0; bit < 8; ++bit) crc = (crc << 1U) ^ ((crc & 0x8000U) != 0 ? 0x1021U : 0U);
    table[byte] = static_cast<std::uint16_t>(crc);
  }
  return table;
}();

std::string_view hashed_part(std::string_view key) noexcept {
  const auto open = key.find('{');
  if (open == std::string_view::npos) return key;
  const auto close = key.find('}', open + 1);
  if (close == std::string_view::npos || close == open + 1) return key;
  return key.substr(open + 1, close - open - 1);
}

/// Reads the elements of a reply in order. An array comes before its elements.
class Walk {
 public:
  explicit Walk(std::span<const Reply::Element> reply) : rest_(reply) {}

  bool array(std::size_t& size) {
    if (!is(Reply::Kind::array)) return false;
    size = static_cast<std::size_t>(take().integer);
    return true;
  }
  template <class Number>
  bool integer(Number& value, std::int64_t most) {
    if (!is(Reply::Kind::integer) || rest_[0].integer < 0 || rest_[0].integer > most) return false;
    value = static_cast<Number>(take().integer);
    return true;
  }
  /// Reads a text. A nil, which a node sends if it does not know its own name, counts as an empty text.
  bool text(std::string_view& value) {
    if (!is(Reply::Kind::text) && !is(Reply::Kind::nil)) return false;
    value = take().text;
    return true;
  }
  bool skip() {
    for (std::size_t left = 1; left > 0; --left) {
      if (rest_.empty()) return false;
      if (const auto& element = take(); element.kind == Reply::Kind::array)
        left += static_cast<std::size_t>(element.integer);
    }
    return true;
  }
  bool at_end() const { return rest_.empty(); }

 private:
  bool is(Reply::Kind kind) const { return !rest_.empty() && rest_[0].kind == kind; }
  const Reply::Element& take() {
    const auto& element = rest_[0];
    rest_ = rest_.subspan(1);
    return element;
  }

  std::span<const Reply::Element> rest_;
};

/// Reads host and port, and skips fields that later versions have added.
bool read_node(Walk& walk, const RedisNode& asked, RedisNode& node) {
  std::size_t parts = 0;
  std::string_view host;
  if (!walk.array(parts) || parts < 2 || !walk.text(host) || !walk.integer(node.port, 65535)) return false;
  node.host = host.empty() || host == "?" ? asked.host : host;
  for (std::size_t i = 2; i < parts; ++i)
    if (!walk.skip()) return false;
  return true;
}

bool read_range(Walk& walk, const RedisNode& asked, SlotRange& range) {
  std::size_t parts = 0;
  if (!walk.array(parts) || parts < 3 || !walk.integer(range.first, kSlots - 1) ||
      !walk.integer(range.last, kSlots - 1) || range.last < range.first || !read_node(walk, asked, range.master))
    return false;
  range.replicas.resize(parts - 3);
  for (auto& replica : range.replicas)
    if (!read_node(walk, asked, replica)) return false;
  return true;
}

}  // namespace

std::uint16_t slot_of(std::string_view key) noexcept {
  unsigned crc = 0;
  for (const char c : hashed_part(key))
    crc = ((crc << 8U) ^ kCrc[((crc >> 8U) ^ static_cast<unsigned char>(c)) & 0xffU]) & 0xffffU;
  return static_cast<std::uint16_t>(crc % kSlots);
}

std::uint16_t slot_of_key(std::string_view prefix, std::string_view key, std::string& scratch) {
  // The prefix may contain a brace too, so the slot is computed from the whole beginning of the key.
  scratch.assign(prefix).append("v1:{");
  if (key.empty()) scratch.push_back('%');
  for (const char c : key) {
    if (c == '%') {
      scratch.append("%25");
    } else if (c == '}') {
      scratch.append("%7D");
    } else {
      scratch.push_back(c);
    }
  }
  scratch.push_back('}');
  return slot_of(scratch);
}

std::optional<std::vector<SlotRange>> read_slots(std::span<const Reply::Element> reply, const RedisNode& asked) {
  Walk walk(reply);
  std::size_t count = 0;
  if (!walk.array(count) || count > kSlots) return std::nullopt;
  std::vector<SlotRange> ranges(count);
  for (auto& range : ranges)
    if (!read_range(walk, asked, range)) return std::nullopt;
  if (!walk.at_end()) return std::nullopt;
  return ranges;
}

}  // namespace headgate::redis
