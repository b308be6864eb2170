#include "headgate/limit/settle_queue.hpp"

#include "merge.hpp"

#include <algorithm>
#include <bit>
#include <utility>

namespace headgate::limit {
namespace {

using Moment = SettlementSum::Moment;

std::chrono::seconds second_of(Moment time) noexcept {
  return std::chrono::floor<std::chrono::seconds>(time.time_since_epoch());
}

/// Rounds down, because permits must not be given back late.
Moment rounded(Moment held_until, Moment now) noexcept {
  const auto left = std::chrono::duration_cast<Duration>(held_until - now).count();
  if (left < 32) return held_until;
  const auto step = static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(left / 16)));
  const auto at = std::chrono::duration_cast<Duration>(held_until.time_since_epoch()).count();
  return Moment(Duration(at - at % step));
}

bool gives_back(const SettlementSum& sum) noexcept { return sum.cost < 0; }

bool is_expired(const SettlementSum& sum, Moment now) noexcept { return gives_back(sum) && sum.held_until <= now; }

bool of_one_counter(const SettlementSum& a, const SettlementSum& b) noexcept {
  return a.rule == b.rule || a.rule->suffix == b.rule->suffix;
}

bool can_merge(const SettlementSum& a, const SettlementSum& b) noexcept {
  return a.how == b.how && gives_back(a) == gives_back(b) && (!gives_back(a) || a.held_until == b.held_until) &&
         of_one_counter(a, b);
}

std::uint64_t permits_of(const SettlementSum& sum) noexcept {
  return static_cast<std::uint64_t>(sum.cost < 0 ? -sum.cost : sum.cost);
}

void add_to(SettleQueue::Amount& amount, const SettlementSum& sum) noexcept {
  amount.settlements += sum.count;
  amount.permits += permits_of(sum);
}

}  // namespace

bool SettleQueue::add(const Check& check, std::shared_ptr<const Rule> rule, Moment held_until, Moment now) {
  SettlementSum sum{.rule = std::move(rule),
                    .hash = check.hash,
                    .how = check.how,
                    .cost = check.cost,
                    .count = 1,
                    .since = now,
                    .held_until = check.cost < 0 ? rounded(held_until, now) : Moment()};
  const auto known = places_.find(check.key);
  if (known != places_.end()) {
    auto& sums = known->second.at->sums;
    const auto same = std::ranges::find_if(sums, [&](const auto& each) { return can_merge(each, sum); });
    if (same != sums.end()) {
      begin(sum);
      merge(*same, sum);
      return true;
    }
  }
  if (!has_room(*sum.rule)) {
    lose(sum);
    return false;
  }
  begin(sum);
  if (known != places_.end()) {
    known->second.at->sums.push_back(std::move(sum));
  } else {
    SettledKey key{.key = std::string(check.key), .sums = {}};
    key.sums.push_back(std::move(sum));
    append(new_, std::move(key));
  }
  return true;
}

bool SettleQueue::is_new(std::string_view key) const {
  const auto known = places_.find(key);
  return known != places_.end() && known->second.list == &new_;
}

SettleBatch SettleQueue::take(Keys& from, std::size_t most, bool one_key, Moment now) {
  SettleBatch batch;
  std::size_t count = 0;
  for (auto left = from.size(); left > 0 && count < most && (!one_key || batch.keys.empty()); --left) {
    places_.erase(from.front().key);  // its name is a view into the list
    auto key = std::move(from.front());
    from.pop_front();
    drop_expired(key.sums, now);
    SettledKey taken{.key = {}, .sums = {}, .refusals = key.refusals};
    std::vector<SettlementSum> rest;
    for (auto& sum : key.sums) {
      const auto same = std::ranges::find_if(taken.sums, [&](const auto& each) { return of_one_counter(each, sum); });
      if (same != taken.sums.end() && same->how == sum.how && gives_back(*same) == gives_back(sum)) {
        same->held_until = std::min(same->held_until, sum.held_until);
        merge(*same, sum);
      } else if (same != taken.sums.end() || count == most) {
        rest.push_back(std::move(sum));
      } else {
        taken.sums.push_back(std::move(sum));
        ++count;
      }
    }
    if (!rest.empty()) append(from, {.key = key.key, .sums = std::move(rest), .refusals = key.refusals});
    taken.key = std::move(key.key);
    if (!taken.sums.empty()) batch.keys.push_back(std::move(taken));
  }
  return batch;
}

void SettleQueue::drop_expired(SettleBatch& batch, Moment now) {
  for (auto& key : batch.keys) drop_expired(key.sums, now);
  std::erase_if(batch.keys, [](const SettledKey& key) { return key.sums.empty(); });
}

void SettleQueue::put_back(SettleBatch&& batch) {
  for (auto& key : batch.keys) {
    const auto known = places_.find(key.key);
    if (known == places_.end()) {
      append(waiting_, std::move(key));
      continue;
    }
    auto& place = known->second;
    if (place.list == &new_) {
      waiting_.splice(waiting_.end(), new_, place.at);
      place.list = &waiting_;
    }
    auto& there = *place.at;
    there.refusals = std::max(there.refusals, key.refusals);
    for (auto& sum : key.sums) {
      const auto same = std::ranges::find_if(there.sums, [&](const auto& each) { return can_merge(each, sum); });
      if (same != there.sums.end())
        merge(*same, sum);
      else
        there.sums.push_back(std::move(sum));
    }
  }
  batch.keys.clear();
}

void SettleQueue::let_wait() {
  for (const auto& key : new_) places_.find(key.key)->second.list = &waiting_;
  waiting_.splice(waiting_.end(), new_);
}

void SettleQueue::settled(const SettleBatch& batch) {
  for (const auto& key : batch.keys)
    for (const auto& sum : key.sums) end(sum);
}

void SettleQueue::lost(const SettleBatch& batch) {
  for (const auto& key : batch.keys) {
    for (const auto& sum : key.sums) {
      lose(sum);
      end(sum);
    }
  }
}

void SettleQueue::sweep(Moment now) {
  for (auto* const list : {&new_, &waiting_}) {
    for (auto at = list->begin(); at != list->end();) {
      drop_expired(at->sums, now);
      const auto key = at++;
      if (!key->sums.empty()) continue;
      places_.erase(key->key);
      list->erase(key);
    }
  }
}

std::optional<SettleQueue::Moment> SettleQueue::oldest() const {
  if (begun_.empty()) return std::nullopt;
  return Moment(begun_.begin()->first);
}

void SettleQueue::append(Keys& list, SettledKey&& key) {
  list.push_back(std::move(key));
  const auto at = std::prev(list.end());
  places_.emplace(at->key, Place{&list, at});
}

bool SettleQueue::has_room(const Rule& rule) const {
  const auto known = sums_of_limit_.find(rule.limit);
  return (known == sums_of_limit_.end() ? 0 : known->second) < kMax - std::min(sums_, kMax);
}

/// Adds a sum to another one. Both have begun; afterwards only `into` counts.
void SettleQueue::merge(SettlementSum& into, const SettlementSum& more) {
  end(into);
  end(more);
  into.cost = add_capped(into.cost, more.cost);
  into.count += more.count;
  into.since = std::min(into.since, more.since);
  begin(into);
}

void SettleQueue::drop_expired(std::vector<SettlementSum>& sums, Moment now) {
  for (const auto& sum : sums)
    if (is_expired(sum, now)) end(sum);
  std::erase_if(sums, [now](const SettlementSum& sum) { return is_expired(sum, now); });
}

void SettleQueue::begin(const SettlementSum& sum) {
  ++sums_;
  const auto known = sums_of_limit_.find(sum.rule->limit);
  if (known != sums_of_limit_.end())
    ++known->second;
  else
    sums_of_limit_.emplace(sum.rule->limit, 1);
  add_to(outstanding_, sum);
  ++begun_[second_of(sum.since)];
}

void SettleQueue::end(const SettlementSum& sum) {
  --sums_;
  if (const auto known = sums_of_limit_.find(sum.rule->limit); --known->second == 0) sums_of_limit_.erase(known);
  outstanding_.settlements -= sum.count;
  outstanding_.permits -= permits_of(sum);
  if (const auto second = begun_.find(second_of(sum.since)); --second->second == 0) begun_.erase(second);
}

void SettleQueue::lose(const SettlementSum& sum) {
  auto known = lost_.find(sum.rule->limit);
  if (known == lost_.end()) known = lost_.emplace(sum.rule->limit, Amount()).first;
  add_to(known->second, sum);
}

}  // namespace headgate::limit
