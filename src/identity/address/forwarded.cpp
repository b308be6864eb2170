#include "forwarded.hpp"

#include "node.hpp"

#include "headgate/core/text.hpp"

#include <algorithm>
#include <array>

namespace headgate::identity {
namespace {

/// The characters of a token (RFC 9110 section 5.6.2).
constexpr auto kTokenCharacters = [] {
  std::array<bool, 256> in{};
  for (unsigned c = 0; c < in.size(); ++c) in[c] = is_alnum(static_cast<char>(c));
  for (const char c : std::string_view("!#$%&'*+-.^_`|~")) in[static_cast<unsigned char>(c)] = true;
  return in;
}();

/// Returns whether a quoted string may have this character (RFC 9110 section 5.6.4): any except control characters
/// other than the tab.
bool is_quotable(char c) noexcept {
  const auto byte = static_cast<unsigned char>(c);
  return c == '\t' || (byte >= 0x20 && byte != 0x7f);
}

/// Takes a token from the front; empty if there is none.
std::optional<std::string_view> take_token(std::string_view& rest) noexcept {
  std::size_t size = 0;
  while (size < rest.size() && kTokenCharacters[static_cast<unsigned char>(rest[size])]) ++size;
  if (size == 0) return std::nullopt;
  const auto token = rest.substr(0, size);
  rest.remove_prefix(size);
  return token;
}

/// Takes a quoted string from the front of a text that begins with a quote. Returns the text between the quotes, with
/// its escapes. The result is empty if the closing quote is missing or a character is not allowed.
std::optional<std::string_view> take_quoted(std::string_view& rest) noexcept {
  for (std::size_t at = 1; at < rest.size(); ++at) {
    if (rest[at] == '"') {
      const auto inner = rest.substr(1, at - 1);
      rest.remove_prefix(at + 1);
      return inner;
    }
    if (rest[at] == '\\' && ++at == rest.size()) return std::nullopt;
    if (!is_quotable(rest[at])) return std::nullopt;
  }
  return std::nullopt;
}

/// Storage for a node: large enough for any address with its port, and for the longest hidden port.
using NodeRoom = std::array<char, 128>;

/// Returns the text of a quoted string without its escapes; the result may be stored in `room`. Empty if it does not
/// fit.
std::optional<std::string_view> without_escapes(std::string_view inner, NodeRoom& room) noexcept {
  if (inner.find('\\') == inner.npos) return inner;
  std::size_t size = 0;
  for (std::size_t at = 0; at < inner.size(); ++at) {
    if (inner[at] == '\\') ++at;
    if (size == room.size()) return std::nullopt;
    room[size++] = inner[at];
  }
  return std::string_view(room.data(), size);
}

/// Returns whether the text is a hidden port. A hop may hide its port; its address counts nevertheless (RFC 7239
/// section 6.3).
bool is_hidden_port(std::string_view text) noexcept {
  if (text.size() < 2 || text.front() != '_') return false;
  return std::all_of(text.begin() + 1, text.end(),
                     [](char c) { return is_alnum(c) || c == '.' || c == '_' || c == '-'; });
}

std::optional<AddressBits> parse_for(std::string_view value) noexcept {
  const auto node = parse_node(value);
  if (!node || (node->port && !is_port(*node->port) && !is_hidden_port(*node->port))) return std::nullopt;
  return node->address;
}

/// Returns whether `name` equals `lower` if case is ignored. `lower` must be in lower case.
bool is_named(std::string_view name, std::string_view lower) noexcept {
  return name.size() == lower.size() &&
         std::equal(name.begin(), name.end(), lower.begin(), [](char a, char b) { return (a | 0x20) == b; });
}

/// An element: pairs separated by semicolons, without blanks. A pair may be empty.
class Element {
 public:
  explicit Element(std::string_view text) noexcept : rest_(text) {}

  std::optional<AddressBits> address() noexcept {
    while (true) {
      if (!rest_.empty() && rest_.front() != ';' && !take_pair()) return std::nullopt;
      if (rest_.empty()) return address_;
      if (rest_.front() != ';') return std::nullopt;
      rest_.remove_prefix(1);
    }
  }

  std::string_view proto;
  std::string_view host;

 private:
  bool take_pair() noexcept {
    const auto name = take_token(rest_);
    if (!name || !rest_.starts_with('=')) return false;
    rest_.remove_prefix(1);
    NodeRoom room;
    const bool quoted = rest_.starts_with('"');
    auto value = quoted ? take_quoted(rest_) : take_token(rest_);
    if (!value) return false;
    if (is_named(*name, "proto")) return note(proto, *value);
    if (is_named(*name, "host")) return note(host, *value);
    if (!is_named(*name, "for")) return true;
    if (address_) return false;
    if (quoted) value = without_escapes(*value, room);
    if (value) address_ = parse_for(*value);
    return address_.has_value();
  }

  /// Stores the value of a parameter. Returns false if the parameter occurs twice, which is an error (RFC 7239 section
  /// 4).
  static bool note(std::string_view& place, std::string_view value) noexcept {
    if (!place.empty()) return false;
    if (value.find('\\') == value.npos) place = value;
    return true;
  }

  std::string_view rest_;
  std::optional<AddressBits> address_;
};

/// Returns whether there is an odd number of backslashes before this position.
bool is_escaped(std::string_view text, std::size_t at) noexcept {
  const auto before = text.substr(0, at);
  const auto other = before.find_last_not_of('\\');
  return (before.size() - (other == before.npos ? 0 : other + 1)) % 2 == 1;
}

}  // namespace

std::size_t last_comma_outside_quotes(std::string_view text) noexcept {
  bool quoted = false;
  for (auto at = text.size(); at-- > 0;) {
    if (text[at] == ',' && !quoted) return at;
    if (text[at] == '"' && !(quoted && is_escaped(text, at))) quoted = !quoted;
  }
  return text.npos;
}

std::optional<AddressBits> Forwarded::next() noexcept {
  const auto text = elements_.next();
  if (!text) return std::nullopt;
  Element element(*text);
  const auto address = element.address();
  proto_ = address ? element.proto : std::string_view();
  host_ = address ? element.host : std::string_view();
  return address;
}

}  // namespace headgate::identity
