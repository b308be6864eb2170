#include "headgate/http/field_names.hpp"

#include "headgate/http/fields.hpp"

#include <algorithm>

namespace headgate::http {

FieldNames::FieldNames(std::span<const std::string> names) {
  for (const auto& name : names) {
    if (name.ends_with('*')) {
      const auto& beginning = beginnings_.emplace_back(name.substr(0, name.size() - 1));
      const char first = beginning.empty() ? '*' : beginning.front();
      // same_variable() treats all characters other than letters as equal, so such a first character sets all bits.
      const bool letter = (first | 0x20) >= 'a' && (first | 0x20) <= 'z';
      firsts_ |= letter ? bit_of(first) : ~std::uint64_t{0};
    } else {
      names_.push_back(name);
    }
  }
  std::stable_sort(names_.begin(), names_.end(), [](const auto& a, const auto& b) { return a.size() < b.size(); });
  for (std::size_t i = 0; i < names_.size(); ++i)
    while (begins_.size() <= names_[i].size()) begins_.push_back(static_cast<std::uint16_t>(i));
  begins_.push_back(static_cast<std::uint16_t>(names_.size()));
}

bool FieldNames::contains(std::string_view name) const noexcept {
  if (name.size() + 1 < begins_.size()) {
    for (std::size_t i = begins_[name.size()]; i < begins_[name.size() + 1]; ++i)
      if (same_variable(names_[i], name)) return true;
  }
  if (name.empty() || (firsts_ & bit_of(name.front())) == 0) return false;
  return std::any_of(beginnings_.begin(), beginnings_.end(), [name](const auto& beginning) {
    return name.size() > beginning.size() && same_variable(beginning, name.substr(0, beginning.size()));
  });
}

}  // namespace headgate::http
