#include "headgate/room/owners.hpp"

#include <algorithm>

namespace headgate::room {

std::vector<std::int64_t>& Owners::of(std::string_view owner) {
  if (sets_.empty()) sets_.resize(kSets);
  const auto hash = keyed_hash(owner, 0);
  auto& set = sets_[static_cast<std::size_t>(hash.low % kSets)];
  auto at = std::find_if(set.begin(), set.end(), [&](const Owner& each) { return each.hash == hash; });
  if (at == set.end()) {
    if (set.size() < kWays) set.emplace_back();
    set.back() = Owner{.hash = hash, .numbers = {}};
    at = set.end() - 1;
  }
  std::rotate(set.begin(), at, at + 1);
  return set.front().numbers;
}

}  // namespace headgate::room
