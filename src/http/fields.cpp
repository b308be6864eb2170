#include "headgate/http/fields.hpp"

#include <algorithm>

namespace headgate::http {
namespace {

constexpr char lower(char c) noexcept { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; }

}  // namespace

bool same_word(std::string_view a, std::string_view b) noexcept {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (lower(a[i]) != lower(b[i])) return false;
  }
  return true;
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

std::string_view trimmed(std::string_view text) noexcept {
  const auto first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

bool same_variable(std::string_view a, std::string_view b) noexcept {
  const auto folded = [](char c) { return c == '_' ? '-' : c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; };
  return a.size() == b.size() &&
         std::equal(a.begin(), a.end(), b.begin(), [&](char x, char y) { return folded(x) == folded(y); });
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
