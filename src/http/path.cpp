#include "headgate/http/path.hpp"

#include "headgate/core/hex.hpp"
#include "headgate/core/text.hpp"

#include <array>
#include <utility>

namespace headgate::http {
namespace {

// Returns whether the character is visible ASCII that RFC 3986 allows and that no server reads as a slash or as the end
// of the path.
constexpr bool valid(unsigned char c) noexcept {
  return c > 0x20 && c < 0x7f && c != '"' && c != '<' && c != '>' && c != '\\' && c != '^' && c != '`' && c != '#';
}

constexpr std::array<bool, 256> table(bool (*rule)(unsigned char)) {
  std::array<bool, 256> out{};
  for (unsigned c = 0; c < 256; ++c) out[c] = rule(static_cast<unsigned char>(c));
  return out;
}
constexpr auto kValid = table(valid);
// The characters that need no encoding in a segment. There are more than in pchar (RFC 3986): browsers send "|" and
// brackets unencoded, so both spellings must match the same routes.
constexpr auto kBareInSegment = table([](unsigned char c) { return valid(c) && c != '/' && c != '?' && c != '%'; });

// Characters that mean the same encoded or not (RFC 3986 section 2.3).
constexpr auto kUnreserved = table([](unsigned char c) {
  const char letter = lower(static_cast<char>(c));
  return (letter >= 'a' && letter <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '.' || c == '_' || c == '~';
});

/// Returns the byte that the escape at the front of `text` stands for; -1 if there is none.
constexpr int escape(std::string_view text) noexcept { return text.starts_with('%') ? hex_byte(text.substr(1)) : -1; }

bool valid_segment(std::string_view segment, bool& escapes) noexcept {
  for (std::size_t i = 0; i < segment.size(); ++i) {
    if (!kValid[static_cast<unsigned char>(segment[i])]) return false;
    if (segment[i] != '%') continue;
    if (escape(segment.substr(i)) <= 0) return false;  // servers written in C end the path at NUL
    escapes = true;
    i += 2;
  }
  return true;
}

enum class Role { name, here, up, disguised };

/// Some servers strip parameters before they resolve a path. They read "..;x" as a dot segment, and merge the slashes
/// around a segment that consists only of parameters. Such segments are `disguised`.
Role role_of(std::string_view segment) noexcept {
  if (segment.empty() || std::string_view(".;%").find(segment.front()) == std::string_view::npos) return Role::name;
  std::array<char, 3> first{};  // decoded; three characters are enough
  std::size_t size = 0;
  for (std::size_t i = 0; i < segment.size() && size < first.size(); ++i) {
    const int byte = escape(segment.substr(i));
    first[size++] = byte < 0 ? segment[i] : static_cast<char>(byte);
    if (byte >= 0) i += 2;
  }
  const std::string_view text(first.data(), size);
  if (text == ".") return Role::here;
  if (text == "..") return Role::up;
  const bool parameter = text.starts_with(';') || text.starts_with(".;") || text == "..;";
  return parameter ? Role::disguised : Role::name;
}

/// Appends the matched form of `segment`. Returns true if it contains an escape of "/", "\" or "%", which a server that
/// decodes again may read as a separator.
bool append_matched(std::string_view segment, std::string& out) {
  bool deep = false;
  for (std::size_t i = 0; i < segment.size(); ++i) {
    const int byte = escape(segment.substr(i));
    if (byte < 0) {
      out += segment[i];
      continue;
    }
    i += 2;
    if (kBareInSegment[static_cast<std::size_t>(byte)]) {
      out += static_cast<char>(byte);
      continue;
    }
    deep = deep || byte == '/' || byte == '\\' || byte == '%';
    constexpr std::string_view kDigits = "0123456789ABCDEF";
    out += '%';
    out += kDigits[static_cast<std::size_t>(byte) >> 4];
    out += kDigits[static_cast<std::size_t>(byte) & 15];
  }
  return deep;
}

/// Returns how the path looks to servers that decode it repeatedly and treat a decoded slash as a separator. Linear in
/// time, because each escape is decoded in place. The first decoding has left no escape of an unreserved character.
PathKind read_deeply(std::string_view matched) {
  std::string bare;
  auto kind = PathKind::plain;
  for (const char c : matched) {
    bare += c;
    while (bare.size() >= 3) {
      const int byte = escape(std::string_view(bare).substr(bare.size() - 3));
      if (byte < 0) break;
      if (byte == 0) return PathKind::refused;
      bare.resize(bare.size() - 3);
      const bool slash = byte == '/' || byte == '\\';
      if (slash || kUnreserved[static_cast<std::size_t>(byte)]) kind = PathKind::hides_slash;
      bare += slash ? '/' : static_cast<char>(byte);
    }
  }
  for (std::string_view rest = bare; !rest.empty();) {
    rest.remove_prefix(1);
    const auto segment = rest.substr(0, rest.find('/'));
    if (role_of(segment) != Role::name) return PathKind::refused;
    rest.remove_prefix(segment.size());
  }
  return kind;
}

/// Resolves dot segments and merges slashes; keeps escapes.
bool resolve(std::string_view raw, std::string& out, bool& escapes) {
  if (raw.empty() || raw.front() != '/') return false;
  out = '/';
  while (!raw.empty()) {  // `out` ends with the slash that `raw` begins with
    raw.remove_prefix(1);
    const auto segment = raw.substr(0, raw.find('/'));
    raw.remove_prefix(segment.size());
    if (segment.empty()) continue;
    if (!valid_segment(segment, escapes)) return false;
    switch (role_of(segment)) {
      case Role::disguised:
        return false;
      case Role::here:
        break;
      case Role::up:
        out.resize(out.size() == 1 ? 1 : out.rfind('/', out.size() - 2) + 1);
        break;
      case Role::name:
        out += segment;
        if (!raw.empty()) out += '/';
    }
  }
  return true;
}

/// Returns whether there is nothing to resolve, merge, decode or refuse. True for nearly all paths.
bool is_in_one_spelling(std::string_view raw) noexcept {
  if (!raw.starts_with('/')) return false;
  bool begins = false;  // at the start of a segment
  for (const char c : raw) {
    const bool slash = c == '/';
    if (begins && (slash || c == '.' || c == ';')) return false;
    if (!slash && !kBareInSegment[static_cast<unsigned char>(c)]) return false;
    begins = slash;
  }
  return true;
}

}  // namespace

bool valid_query(std::string_view query) noexcept {
  for (const char c : query) {
    if (!kValid[static_cast<unsigned char>(c)]) return false;
  }
  return true;
}

bool valid_path(std::string_view raw) noexcept {
  bool escapes = false;
  // valid_segment() allows slashes too, so it can check all segments at once
  return raw.starts_with('/') && valid_segment(raw, escapes);
}

PathKind normalise_path(std::string_view raw, std::string& matched, std::string& sent) {
  sent.clear();
  if (is_in_one_spelling(raw)) {
    matched = raw;
    return PathKind::plain;
  }
  matched.clear();
  bool escapes = false;
  if (!resolve(raw, matched, escapes)) return PathKind::refused;
  if (!escapes) return PathKind::plain;
  std::swap(matched, sent);
  // append_matched() neither adds nor removes slashes.
  return append_matched(sent, matched) ? read_deeply(matched) : PathKind::plain;
}

std::string matched_segment(std::string_view segment) {
  std::string out;
  append_matched(segment, out);
  return out;
}

std::string fold_case(std::string_view matched) {
  // All letters beyond ASCII that Unicode's simple case folding, lower case or upper case maps to an ASCII letter.
  constexpr std::array<std::pair<std::string_view, char>, 4> kFold{
      {{"%E2%84%AA", 'k'}, {"%C5%BF", 's'}, {"%C4%B0", 'i'}, {"%C4%B1", 'i'}}};
  std::string out;
  out.reserve(matched.size());
  while (!matched.empty()) {
    std::size_t taken = 1;
    char c = lower(matched.front());
    if (c == '%') {
      for (const auto& [text, letter] : kFold) {
        if (!matched.starts_with(text)) continue;
        c = letter;
        taken = text.size();
      }
    }
    out += c;
    matched.remove_prefix(taken);
  }
  return out;
}

}  // namespace headgate::http
