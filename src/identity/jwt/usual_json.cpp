#include "usual_json.hpp"

#include <array>
#include <cstddef>
#include <cstdint>

namespace headgate::identity {
namespace {

using Kind = JsonMember::Kind;

constexpr std::size_t kUsualMembers = 12;

/// What stands for itself in a string.
constexpr auto kPlain = [] {
  std::array<bool, 256> in{};
  for (unsigned char c = 0x20; c < 0x7f; ++c) in[c] = c != '"' && c != '\\';
  return in;
}();

/// Each function takes something off the front and is false where it is not there, which may show only when a part of
/// it has been taken: then there is no going on.
class UsualReader {
 public:
  explicit UsualReader(std::string_view json) noexcept : rest_(json) {}

  bool object(std::vector<JsonMember>& members) {
    if (!take('{')) return false;
    if (take('}')) return at_end();
    do {
      auto& member = members.emplace_back();
      if (!string(member.name) || !take(':') || !value(member)) return false;
    } while (take(','));
    return take('}') && at_end();
  }

 private:
  /// Its first character says what it has to be: what was begun as one thing is never read on as another.
  bool value(JsonMember& member) {
    skip_blanks();
    switch (rest_.empty() ? '\0' : rest_.front()) {
      case '"':
        member.kind = Kind::text;
        return string(member.text);
      case '[':
        member.kind = Kind::texts;
        return strings(member.texts);
      case 't':
        member.kind = Kind::boolean;
        return word("true", member.text);
      case 'f':
        member.kind = Kind::boolean;
        return word("false", member.text);
      default:
        member.kind = Kind::integer;
        return integer(member);
    }
  }

  bool strings(std::vector<std::string>& out) {
    if (!take('[')) return false;
    if (take(']')) return true;
    do {
      if (!string(out.emplace_back())) return false;
    } while (take(','));
    return take(']');
  }

  bool string(std::string& out) {
    if (!take('"')) return false;
    std::size_t size = 0;
    while (size < rest_.size() && kPlain[static_cast<unsigned char>(rest_[size])]) ++size;
    out = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return take_here('"');
  }

  bool integer(JsonMember& member) {
    constexpr std::size_t kMaxDigits = 18;  // any such number fits into 63 bits
    std::size_t size = 0;
    std::int64_t number = 0;
    for (; size < rest_.size() && size < kMaxDigits && rest_[size] >= '0' && rest_[size] <= '9'; ++size)
      number = number * 10 + (rest_[size] - '0');
    if (size == 0 || (size > 1 && rest_.front() == '0')) return false;
    member.text = rest_.substr(0, size);
    member.number = static_cast<double>(number);
    rest_.remove_prefix(size);
    return true;
  }

  bool word(std::string_view expected, std::string& out) {
    if (!rest_.starts_with(expected)) return false;
    out = expected;
    rest_.remove_prefix(expected.size());
    return true;
  }

  bool take(char c) noexcept {
    skip_blanks();
    return take_here(c);
  }

  bool take_here(char c) noexcept {
    if (!rest_.starts_with(c)) return false;
    rest_.remove_prefix(1);
    return true;
  }

  bool at_end() noexcept {
    skip_blanks();
    return rest_.empty();
  }

  void skip_blanks() noexcept {
    const auto blank = [](char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; };
    while (!rest_.empty() && blank(rest_.front())) rest_.remove_prefix(1);
  }

  std::string_view rest_;
};

}  // namespace

std::optional<std::vector<JsonMember>> read_usual_object(std::string_view json) {
  std::vector<JsonMember> members;
  members.reserve(kUsualMembers);
  if (!UsualReader(json).object(members)) return std::nullopt;
  return members;
}

}  // namespace headgate::identity
