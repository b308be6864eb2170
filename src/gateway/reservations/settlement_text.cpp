#include "settlement_text.hpp"

#include "headgate/core/literals.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>

namespace headgate::gateway {
namespace {

constexpr std::string_view kJsonSpace = " \t\r\n";
constexpr std::string_view kSettlementShape =
    R"(Send {"reservation": "...", "used": {"LIMIT": 812}}, or {"reservation": "...", "cancel": true}.)";

/// Appends a code point below U+10000 in UTF-8.
void append_point(std::string& out, unsigned point) {
  constexpr unsigned kOneByte = 0x80, kTwoBytes = 0x800;
  if (point < kOneByte) {
    out += static_cast<char>(point);
  } else if (point < kTwoBytes) {
    out += static_cast<char>(0xC0U | point >> 6U);
    out += static_cast<char>(0x80U | (point & 0x3FU));
  } else {
    out += static_cast<char>(0xE0U | point >> 12U);
    out += static_cast<char>(0x80U | (point >> 6U & 0x3FU));
    out += static_cast<char>(0x80U | (point & 0x3FU));
  }
}

/// A reader of the few forms of JSON that a settlement has. Each function returns false after a fault, whose sentence
/// is then in `fault`.
class SettlementReader {
 public:
  explicit SettlementReader(std::string_view text) noexcept : left_(text) {}

  bool whole(Settlement& out) {
    bool reservation = false, used = false, cancel = false;
    const bool read = members([&](const std::string& name) {
      if (name == "reservation") return once(reservation, name) && string(out.reservation);
      if (name == "used") return once(used, name) && costs(out.used);
      if (name == "cancel") return once(cancel, name) && yes(out.cancel);
      return fail("The member \"" + name + "\" is not known.");
    });
    if (!read) return false;
    skip();
    if (!left_.empty()) return malformed();
    if (!reservation) return fail("The member \"reservation\" is missing.");
    if (used == cancel) return fail("Exactly one of \"used\" and \"cancel\" is needed.");
    return true;
  }

  std::string fault;

 private:
  void skip() { left_.remove_prefix(std::min(left_.find_first_not_of(kJsonSpace), left_.size())); }
  bool fail(std::string why) {
    if (fault.empty()) fault = std::move(why);
    return false;
  }
  bool malformed() { return fail("The body is no JSON object of this form."); }
  bool once(bool& seen, const std::string& name) {
    if (seen) return fail("The member \"" + name + "\" occurs twice.");
    return seen = true;
  }
  bool is_next(char c) {
    skip();
    if (left_.empty() || left_.front() != c) return false;
    left_.remove_prefix(1);
    return true;
  }
  bool expect(char c) { return is_next(c) || malformed(); }

  /// Reads an object, and calls `value(name)` where the value of a member begins.
  template <class Value>
  bool members(Value value) {
    if (!expect('{')) return false;
    if (is_next('}')) return true;
    while (true) {
      std::string name;
      if (!string(name) || !expect(':') || !value(name)) return false;
      if (is_next('}')) return true;
      if (!expect(',')) return false;
    }
  }

  bool string(std::string& out) {
    if (!expect('"')) return false;
    while (!left_.empty()) {
      const char c = left_.front();
      left_.remove_prefix(1);
      if (c == '"') return true;
      if (static_cast<unsigned char>(c) < ' ') break;
      if (c != '\\')
        out += c;
      else if (!escape(out))
        break;
    }
    return malformed();
  }
  bool escape(std::string& out) {
    constexpr std::string_view kEscapes = "\"\\/bfnrt";
    constexpr std::string_view kMeanings = "\"\\/\b\f\n\r\t";
    if (left_.empty()) return false;
    const char c = left_.front();
    left_.remove_prefix(1);
    if (const auto at = kEscapes.find(c); at != kEscapes.npos) {
      out += kMeanings[at];
      return true;
    }
    constexpr std::size_t kDigits = 4;
    constexpr int kHex = 16;
    unsigned point = 0;
    if (c != 'u' || left_.size() < kDigits) return false;
    const auto [end, error] = std::from_chars(left_.data(), left_.data() + kDigits, point, kHex);
    constexpr unsigned kFirstSurrogate = 0xD800, kLastSurrogate = 0xDFFF;
    if (error != std::errc() || end != left_.data() + kDigits || point == 0 ||
        (point >= kFirstSurrogate && point <= kLastSurrogate))
      return false;
    left_.remove_prefix(kDigits);
    append_point(out, point);
    return true;
  }

  bool yes(bool& out) {
    skip();
    if (!left_.starts_with("true")) return fail("The only value of \"cancel\" is true.");
    left_.remove_prefix(4);
    return out = true;
  }

  bool costs(std::vector<std::pair<std::string, std::int64_t>>& out) {
    return members([&](const std::string& limit) {
      if (std::ranges::any_of(out, [&](const auto& each) { return each.first == limit; }))
        return fail("The limit \"" + limit + "\" occurs twice.");
      std::int64_t cost = 0;
      if (!number(limit, cost)) return false;
      out.emplace_back(limit, cost);
      return true;
    });
  }
  bool number(const std::string& limit, std::int64_t& out) {
    skip();
    const auto text = left_.substr(0, left_.find_first_of(",}] \t\r\n"));
    const bool digits =
        !text.empty() && text.find_first_not_of("0123456789") == text.npos && (text.size() == 1 || text.front() != '0');
    std::uint64_t value = kMaxRequests + 1;
    if (digits) std::from_chars(text.data(), text.data() + text.size(), value);
    if (value > kMaxRequests)
      return fail("The cost of the limit \"" + limit + "\" is no whole number from 0 to " +
                  std::to_string(kMaxRequests) + ".");
    left_.remove_prefix(text.size());
    out = static_cast<std::int64_t>(value);
    return true;
  }

  std::string_view left_;
};

}  // namespace

std::string read_settlement(std::string_view text, Settlement& out) {
  SettlementReader reader(text);
  if (reader.whole(out)) return {};
  return reader.fault + ' ' + std::string(kSettlementShape);
}

}  // namespace headgate::gateway
