#include "headgate/limit/rule_copies.hpp"

#include <algorithm>

namespace headgate::limit {
namespace {

constexpr std::size_t kMax = 256;  // beyond it, copies that are no longer used (from past configurations) are dropped

}  // namespace

bool same_counting(const Rule& a, const Rule& b) noexcept {
  return a.rate.count == b.rate.count && a.rate.period == b.rate.period && a.burst == b.burst && a.wait == b.wait &&
         a.algorithm == b.algorithm && a.calendar == b.calendar && a.from_first_use == b.from_first_use &&
         a.start == b.start;
}

std::shared_ptr<const Rule> RuleCopies::of(const Rule& rule) {
  const auto found = std::find_if(copies_.begin(), copies_.end(), [&](const auto& copy) {
    return same_counting(*copy, rule) && copy->suffix == rule.suffix;
  });
  if (found != copies_.end()) {
    std::rotate(copies_.begin(), found, found + 1);
    return copies_.front();
  }
  if (copies_.size() >= kMax) std::erase_if(copies_, [](const auto& copy) { return copy.use_count() == 1; });
  copies_.insert(copies_.begin(), std::make_shared<const Rule>(rule));
  return copies_.front();
}

}  // namespace headgate::limit
