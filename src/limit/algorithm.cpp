#include "headgate/limit/algorithm.hpp"

#include <algorithm>

namespace headgate::limit {

const Algorithm* find_algorithm(std::string_view name) noexcept {
  const auto all = algorithms();
  const auto found = std::ranges::find(all, name, &Algorithm::name);
  return found == all.end() ? nullptr : *found;
}

std::string& ArgumentList::next() {
  if (used_ == out_.size()) out_.emplace_back();
  std::string& text = out_[used_++];
  text.clear();
  return text;
}

}  // namespace headgate::limit
