#include "headgate/http/fields.hpp"

#include <algorithm>
#include <array>

namespace headgate::http {
namespace {

/// Characters other than letters and digits that are allowed in a name (RFC 9110 section 5.6.2).
constexpr std::string_view kMarks = "!#$%&'*+-.^_`|~";

/// Maps letters to lower case and all marks to '-'.
constexpr auto kVariable = [] {
  std::array<char, 256> out{};
  for (unsigned c = 0; c < out.size(); ++c) out[c] = lower(static_cast<char>(c));
  for (const char c : kMarks) out[static_cast<unsigned char>(c)] = '-';
  return out;
}();

[[gnu::noinline, gnu::cold]] void make_room(Fields& fields) {
  constexpr std::size_t kAtFirst = 8;
  fields.reserve(std::max(kAtFirst, 2 * fields.size()));
}

}  // namespace

bool detail::same_variable_letters(std::string_view a, std::string_view b) noexcept {
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (kVariable[static_cast<unsigned char>(a[i])] != kVariable[static_cast<unsigned char>(b[i])]) return false;
  }
  return true;
}

void Fields::push_back(const Field& field) {
  if (size() == capacity()) [[unlikely]] {
    const Field own = field;  // `field` may be an element of this vector
    make_room(*this);
    return push_back(own);
  }
  if (size() == capacity()) __builtin_unreachable();  // tells the compiler not to repeat the growing code here
  std::vector<Field>::push_back(field);
}

std::string_view value_of(const Fields& fields, Known id) noexcept {
  for (const auto& field : fields) {
    if (field.id == id) return field.value;
  }
  return {};
}

std::string_view value_of(const Fields& fields, std::string_view name) noexcept {
  for (const auto& field : fields) {
    if (same_word(field.name, name)) return field.value;
  }
  return {};
}

bool is_token(std::string_view text) noexcept {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= '0' && c <= '9') || (lower(c) >= 'a' && lower(c) <= 'z') || kMarks.find(c) != kMarks.npos;
  });
}

bool has(const Fields& fields, Known id) noexcept {
  for (const auto& field : fields) {
    if (field.id == id) return true;
  }
  return false;
}

std::string_view host_of(std::string_view authority) noexcept {
  const auto colon = authority.starts_with('[') ? authority.find(':', authority.find(']')) : authority.find(':');
  auto host = authority.substr(0, colon);
  if (host.ends_with('.')) host.remove_suffix(1);
  return host;
}

bool next_member(std::string_view& list, std::string_view& member) noexcept {
  while (!list.empty()) {
    const auto comma = list.find(',');
    member = trimmed(list.substr(0, comma));
    list.remove_prefix(comma == std::string_view::npos ? list.size() : comma + 1);
    if (!member.empty()) return true;
  }
  return false;
}

bool lists(std::string_view list, std::string_view token) noexcept {
  for (std::string_view member; next_member(list, member);) {
    if (same_word(member, token)) return true;
  }
  return false;
}

}  // namespace headgate::http
