#include "headgate/admin/bounds.hpp"

#include "headgate/observe/families/gateway.hpp"

namespace headgate::admin {
bool reaches(const BoundUse& use, unsigned percent) noexcept {
  constexpr double kHundred = 100;
  return static_cast<double>(use.used) * kHundred >= static_cast<double>(use.most) * percent;
}

std::vector<BoundUse> BoundsBoard::table() const {
  std::vector<BoundUse> out;
  for (const auto& read : reads_) read(out);
  return out;
}

void BoundsBoard::collect(observe::Registry& registry) const {
  registry.collect([this](observe::Scrape& scrape) {
    for (const auto& each : table()) {
      scrape.value(observe::family::bound_used, {each.bound}, static_cast<double>(each.used));
      scrape.value(observe::family::bound_limit, {each.bound}, static_cast<double>(each.most));
    }
  });
}

std::string NearBounds::words_of(const BoundUse& use, const High& high) {
  auto out = std::to_string(use.used) + " of " + std::to_string(use.most) + (use.in_bytes ? " bytes" : "");
  if (!reaches(use, kEnds)) out += " now, " + std::to_string(high.most) + " a moment ago";
  if (const auto refused = use.refused - high.refused_before; refused > 0)
    out += ", " + std::to_string(refused) + " refused";
  if (!use.held_by.empty()) out += ", most of it: " + use.held_by;
  return out;
}

NearBounds::Found NearBounds::look(Steady now, const std::vector<BoundUse>& table) {
  Found out;
  std::map<std::string, High> high;
  for (const auto& each : table) {
    if (each.full == BoundUse::Full::usual) continue;
    const auto before = high_.find(each.bound);
    const bool was_high = before != high_.end();
    const auto refused_before = std::exchange(refused_[each.bound], each.refused);
    auto state = was_high ? before->second : High{.refused_before = refused_before};
    const bool refuses = each.refused > refused_before;
    if (refuses || reaches(each, was_high ? kEnds : kBegins)) {
      state.last = now;
      state.most = each.used;
    } else if (!was_high || now - state.last >= kCalm) {
      continue;
    }
    if (refuses || each.used >= each.most) state.reached = now;
    const bool reached = state.reached && now - *state.reached <= kCalm;
    (reached ? out.reached : out.near).emplace_back(each.bound, words_of(each, state));
    high.emplace(each.bound, state);
  }
  high_ = std::move(high);
  return out;
}

}  // namespace headgate::admin
