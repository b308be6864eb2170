#include "headgate/admin/bounds.hpp"

#include "headgate/observe/metrics_of_bounds.hpp"

namespace headgate::admin {
namespace {

std::string words_of(const BoundUse& use) {
  auto out = std::to_string(use.used) + " of " + std::to_string(use.most) + (use.in_bytes ? " bytes" : "");
  if (!use.held_by.empty()) out += ", most of it: " + use.held_by;
  return out;
}

}  // namespace

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

std::vector<std::pair<std::string, std::string>> NearBounds::look(Steady now, const std::vector<BoundUse>& table) {
  std::vector<std::pair<std::string, std::string>> out;
  std::map<std::string, Steady> high;
  for (const auto& each : table) {
    if (each.full == BoundUse::Full::usual) continue;
    const auto before = last_high_.find(each.bound);
    const bool was_near = before != last_high_.end();
    if (!reaches(each, was_near ? kEnds : kBegins)) {
      if (!was_near || now - before->second >= kCalm) continue;
      high.emplace(each.bound, before->second);
    } else {
      high.emplace(each.bound, now);
    }
    out.emplace_back(each.bound, words_of(each));
  }
  last_high_ = std::move(high);
  return out;
}

}  // namespace headgate::admin
