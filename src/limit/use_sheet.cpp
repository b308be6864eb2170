#include "headgate/limit/use_sheet.hpp"

#include <algorithm>

namespace headgate::limit {

void UseSheet::add(const std::shared_ptr<const Calendar>& days, Instant now, std::string_view limit,
                   std::string_view key, std::int64_t cost) {
  if (cost <= 0) return;
  if (days != days_ || now < today_.start || now >= today_.end || taken_.days.empty()) turn_to(days, now);
  const Use more{static_cast<std::uint64_t>(cost), 1};
  auto& uses = taken_.days[at_].second;
  write_ledger_field(field_, limit, key);
  if (const auto known = uses.find(field_); known != uses.end()) {
    known->second += more;
  } else if (keys_ == kMaxKeys) {
    taken_.lost += more;
  } else {
    uses.emplace(field_, more);
    ++keys_;
  }
}

void UseSheet::turn_to(const std::shared_ptr<const Calendar>& days, Instant now) {
  if (days != days_ || now < today_.start || now >= today_.end) {
    days_ = days;
    date_ = days->date_of(now);
    today_ = days->day(date_);
  }
  auto& all = taken_.days;
  const auto known = std::find_if(all.begin(), all.end(), [&](const auto& each) { return each.first == date_; });
  at_ = static_cast<std::size_t>(known - all.begin());
  if (known == all.end()) all.emplace_back(date_, UseByField());
}

UseSheet::Content UseSheet::take() {
  at_ = keys_ = 0;
  return std::exchange(taken_, {});
}

}  // namespace headgate::limit
