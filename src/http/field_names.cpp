#include "headgate/http/field_names.hpp"

#include "headgate/http/fields.hpp"

#include <algorithm>

namespace headgate::http {

FieldNames::FieldNames(std::span<const std::string> names) {
  for (const auto& name : names) {
    if (name.ends_with('*')) {
      beginnings_.push_back(name.substr(0, name.size() - 1));
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
  return std::any_of(beginnings_.begin(), beginnings_.end(), [name](const auto& beginning) {
    return name.size() > beginning.size() && same_variable(beginning, name.substr(0, beginning.size()));
  });
}

}  // namespace headgate::http
