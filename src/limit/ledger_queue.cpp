#include "headgate/limit/ledger_queue.hpp"

#include <algorithm>
#include <utility>

namespace headgate::limit {

Use LedgerQueue::add(UseSheet::Content&& taken) {
  Use lost = taken.lost;
  for (auto& [day, uses] : taken.days) {
    for (auto& [field, use] : uses) {
      auto& waiting = lanes_[lane_of(bucket_of(field))].days[day];
      if (const auto known = waiting.find(field); known != waiting.end()) {
        known->second += use;
      } else if (keys_ >= kMaxKeys) {
        lost += use;
      } else {
        waiting.emplace(field, use);
        ++keys_;
      }
    }
  }
  return lost;
}

/// Returns the next batch to send. The oldest day comes first, so that it is complete as soon as possible.
const LedgerBatch* LedgerQueue::next(unsigned lane) {
  auto& here = lanes_[lane];
  if (here.batch) return &*here.batch;
  while (!here.days.empty() && here.days.begin()->second.empty()) here.days.erase(here.days.begin());
  if (here.days.empty()) return nullptr;
  auto& [day, uses] = *here.days.begin();
  auto& batch = here.batch.emplace(LedgerBatch{.day = day, .lane = lane, .number = ++here.number, .uses = {}});
  batch.uses.reserve(std::min(uses.size(), kMaxBatch));
  if (uses.size() <= kMaxBatch) {
    for (const auto& [field, use] : uses) batch.uses.emplace_back(field, use);
    here.days.erase(here.days.begin());
  } else {
    // The loop keeps its iterator, because each call of begin() would search for the first entry again.
    for (auto at = uses.begin(); batch.uses.size() < kMaxBatch;) {
      batch.uses.emplace_back(at->first, at->second);
      uses.erase(at++);
    }
  }
  return &batch;
}

void LedgerQueue::acknowledge(unsigned lane) {
  auto& batch = lanes_[lane].batch;
  if (!batch) return;
  keys_ -= batch->uses.size();
  batch.reset();
}

Use LedgerQueue::waiting() const {
  Use out;
  for (const auto& lane : lanes_) {
    for (const auto& [day, uses] : lane.days)
      for (const auto& [field, use] : uses) out += use;
    if (lane.batch)
      for (const auto& [field, use] : lane.batch->uses) out += use;
  }
  return out;
}

bool LedgerQueue::waits_for(Day day) const {
  return std::any_of(lanes_.begin(), lanes_.end(), [day](const Lane& lane) {
    return lane.days.contains(day) || (lane.batch && lane.batch->day == day);
  });
}

}  // namespace headgate::limit
