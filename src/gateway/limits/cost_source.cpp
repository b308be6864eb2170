#include "headgate/gateway/cost_source.hpp"

#include <algorithm>
#include <charconv>

namespace headgate::gateway {

const CostSource* find_cost_source(std::string_view word) noexcept {
  const auto all = cost_sources();
  const auto found = std::ranges::find_if(all, [word](const CostSource* source) { return source->word == word; });
  return found == all.end() ? nullptr : *found;
}

CostReading cost_in(std::string_view text, std::int64_t most) noexcept {
  std::int64_t cost = 0;
  if (text.empty()) return {};
  if (text.find_first_not_of("0123456789") != std::string_view::npos) return {.unreadable = text};
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), cost);
  return {.cost = error == std::errc::result_out_of_range ? most : std::min(cost, most)};
}

}  // namespace headgate::gateway
