#include "headgate/http/named_values.hpp"

#include "headgate/core/hex.hpp"

#include <optional>

namespace headgate::http {
namespace {

struct Pair {
  std::string_view whole;
  std::string_view name;
  std::string_view value;
};

/// Removes and returns the next "name=value" of a list; empty at the end. Skips empty members.
std::optional<Pair> next_pair(std::string_view& list, char separator) noexcept {
  while (!list.empty()) {
    const auto end = list.find(separator);
    const auto whole = trimmed(list.substr(0, end));
    list = end == list.npos ? std::string_view{} : list.substr(end + 1);
    if (whole.empty()) continue;
    const auto equals = whole.find('=');
    if (equals == whole.npos) return Pair{whole, whole, {}};
    return Pair{whole, trimmed(whole.substr(0, equals)), trimmed(whole.substr(equals + 1))};
  }
  return std::nullopt;
}

std::string_view unquoted(std::string_view value) noexcept {
  const bool quoted = value.size() >= 2 && value.front() == '"' && value.back() == '"';
  return quoted ? value.substr(1, value.size() - 2) : value;
}

/// Returns whether some servers find the cookie `name` inside `text`, because they also end cookies at blanks, commas
/// and quotes.
bool hides(std::string_view text, std::string_view name) noexcept {
  constexpr std::string_view kEnds = " \t,\"";
  for (auto at = text.find(name, 1); at != text.npos; at = text.find(name, at + 1)) {
    if (kEnds.find(text[at - 1]) == kEnds.npos) continue;
    const auto next = text.find_first_not_of(" \t", at + name.size());
    if (next != text.npos && text[next] == '=') return true;
  }
  return false;
}

/// Returns whether all servers read this cookie value in the same way.
bool reads_alike(std::string_view value) noexcept { return value.find_first_of(" \t,\"\\") == value.npos; }

std::string_view without_mark(std::string_view query) noexcept {
  return query.starts_with('?') ? query.substr(1) : query;
}

/// Removes and decodes the next character; empty if an escape is malformed.
std::optional<char> take_decoded(std::string_view& sent) noexcept {
  const char c = sent.front();
  if (c == '%') {
    const int byte = hex_byte(sent.substr(1));
    if (byte < 0) return std::nullopt;
    sent.remove_prefix(3);
    return static_cast<char>(byte);
  }
  sent.remove_prefix(1);
  return c == '+' ? ' ' : c;
}

/// Returns whether `sent`, decoded, equals `name`.
bool is_named(std::string_view sent, std::string_view name) noexcept {
  if (sent == name) return true;
  while (!sent.empty() && !name.empty() && take_decoded(sent) == name.front()) name.remove_prefix(1);
  return sent.empty() && name.empty();
}

template <class Same>
std::string without(std::string_view list, char separator, std::string_view between, const Same& same) {
  std::string out;
  out.reserve(list.size());
  while (const auto pair = next_pair(list, separator)) {
    if (same(pair->name)) continue;
    if (!out.empty()) out += between;
    out += pair->whole;
  }
  return out;
}

}  // namespace

NamedValue field_of(const Fields& fields, std::string_view name) noexcept {
  NamedValue found;
  bool met = false;
  for (const auto& field : fields) {
    const bool meant = same_word(field.name, name);
    if (!meant && !same_variable(field.name, name)) continue;
    found.twice = met;
    if (met) break;
    met = true;
    if (meant) found.value = field.value;
  }
  return found;
}

NamedValue cookie_of(const Fields& fields, std::string_view name) noexcept {
  NamedValue found;
  bool met = false;
  for (const auto& field : fields) {
    if (field.id != Known::cookie) continue;
    auto rest = field.value;
    while (const auto pair = next_pair(rest, ';')) {
      if (pair->name != name) {
        found.twice = found.twice || hides(pair->whole, name);
        continue;
      }
      const auto value = unquoted(pair->value);
      found.twice = found.twice || !reads_alike(value) || (met && value != found.value);
      if (!met) found.value = value;
      met = true;
    }
  }
  return found;
}

NamedValue query_parameter(std::string_view query, std::string_view name) {
  NamedValue found;
  bool met = false;
  auto rest = without_mark(query);
  while (const auto pair = next_pair(rest, '&')) {
    if (!is_named(pair->name, name)) continue;
    found.twice = met;
    if (met) return found;
    met = true;
    found.value = pair->value;
  }
  return found;
}

bool decode_parameter(std::string_view value, std::string& out) {
  out.clear();
  while (!value.empty()) {
    const auto next = take_decoded(value);
    if (!next) return false;
    out += *next;
  }
  return true;
}

std::string without_cookie(std::string_view cookies, std::string_view name) {
  return without(cookies, ';', "; ", [name](std::string_view sent) { return sent == name; });
}

std::string without_parameter(std::string_view query, std::string_view name) {
  auto rest = without(without_mark(query), '&', "&", [name](std::string_view sent) { return is_named(sent, name); });
  return rest.empty() ? rest : '?' + rest;
}

}  // namespace headgate::http
