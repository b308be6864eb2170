#include "headgate/http/field_names.hpp"

#include "headgate/http/fields.hpp"

#include <algorithm>

namespace headgate::http {

FieldNames::FieldNames(std::span<const std::string> names) {
  for (const auto& name : names) {
    if (name.ends_with('*')) {
      const auto& beginning = beginnings_.emplace_back(name.substr(0, name.size() - 1));
      const char first = beginning.empty() ? '*' : beginning.front();
      // What is neither letter nor digit may be written as another such character.
      const bool letter = (first | 0x20) >= 'a' && (first | 0x20) <= 'z';
      firsts_ |= letter ? bit_of(first) : ~std::uint64_t{0};
    } else {
      names_.push_back(name);
      lengths_ |= bit_of(name.size());
    }
  }
}

bool FieldNames::contains(std::string_view name) const noexcept {
  if ((lengths_ & bit_of(name.size())) != 0 &&
      std::any_of(names_.begin(), names_.end(), [name](const auto& each) { return same_variable(each, name); }))
    return true;
  if (name.empty() || (firsts_ & bit_of(name.front())) == 0) return false;
  return std::any_of(beginnings_.begin(), beginnings_.end(), [name](const auto& beginning) {
    return name.size() > beginning.size() && same_variable(beginning, name.substr(0, beginning.size()));
  });
}

}  // namespace headgate::http
