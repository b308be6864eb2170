#include "headgate/balance/policy.hpp"

#include <algorithm>

namespace headgate::balance {

const Policy* find_policy(std::string_view name) noexcept {
  const auto all = policies();
  const auto found = std::find_if(all.begin(), all.end(), [name](const Policy* each) { return each->name == name; });
  return found == all.end() ? nullptr : *found;
}

const Policy& default_policy() noexcept {
  static const Policy& found = *find_policy("round_robin");
  return found;
}

}  // namespace headgate::balance
