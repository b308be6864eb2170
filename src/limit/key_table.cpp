#include "key_table.hpp"

#include <algorithm>
#include <memory>
#include <new>

namespace headgate::limit {
namespace {

using Rank = RankTree::Rank;

constexpr std::uint32_t kNumber = KeyTable::kMaxKeys;  // mask of the bits of an index entry that hold the slot's number
static_assert((kNumber & (kNumber + 1)) == 0);

std::uint32_t mark_of(const Hash& hash) noexcept { return static_cast<std::uint32_t>(hash.high) & ~kNumber; }

std::uint32_t* zeroed(std::size_t count) {
  // calloc is used because fresh pages take no memory until written
  void* memory = std::calloc(count, sizeof(std::uint32_t));
  if (memory == nullptr) throw std::bad_alloc();
  return static_cast<std::uint32_t*>(memory);
}

/// Returns a rank. An earlier moment gives a higher rank.
Rank rank(Instant full_at) noexcept {
  constexpr Rank kMiddle = RankTree::kHigh / 2;
  return kMiddle - std::clamp<Rank>(full_at.time_since_epoch().count(), -kMiddle + 1, kMiddle - 1);
}

constexpr Rank kNotSpent = RankTree::kHigh;
constexpr Rank kExcess = 2 * RankTree::kHigh;

}  // namespace

KeyTable::KeyTable(std::size_t bound)
    : bound_(std::min(bound, kMaxKeys)),
      capacity_(bound_ + bound_ / 2 + 1),  // at most 67 % full, so an unsuccessful look-up reads 5 entries on average
      index_(zeroed(capacity_)),
      slots_(std::allocator<CounterSlot>().allocate(bound_)),
      ranks_(bound_) {
  static_assert(sizeof(CounterSlot) == 64);
}

KeyTable::~KeyTable() {
  std::destroy_n(slots_, size_);
  std::allocator<CounterSlot>().deallocate(slots_, bound_);
}

/// Returns the rank for eviction. Counters of a limit with more than its share have the highest ranks; counters that
/// are not spent come next.
KeyTable::Rank KeyTable::rank_of(const CounterSlot& slot) const noexcept {
  return rank(slot.full_at) | (slot.spent ? 0 : kNotSpent) | (counts_[slot.limit].tracked > share_ ? kExcess : 0);
}

/// Computes the share of each limit. A single limit may use the whole table.
void KeyTable::share() noexcept { share_ = limits_ < 2 ? kMaxKeys + 1 : bound_ / limits_; }

CounterSlot* KeyTable::find(const Hash& hash) noexcept {
  const std::uint32_t mark = mark_of(hash);
  for (std::size_t at = home(hash); index_[at] != 0; at = after(at)) {
    if ((index_[at] & ~kNumber) != mark) continue;
    CounterSlot& slot = slots_[(index_[at] & kNumber) - 1];
    if (slot.hash == hash) return &slot;
  }
  return nullptr;
}

const CounterSlot* KeyTable::place_of(const Hash& hash) const noexcept {
  const std::uint32_t mark = mark_of(hash);
  auto at = home(hash);
  while (index_[at] != 0 && (index_[at] & ~kNumber) != mark) at = after(at);
  return index_[at] != 0 ? slots_ + (index_[at] & kNumber) - 1 : nullptr;
}

CounterSlot& KeyTable::insert(const Hash& hash, std::uint16_t limit, Instant now, bool first) {
  if (limit >= counts_.size()) counts_.resize(limit + std::size_t{1});
  if (counts_[limit].tracked++ == 0) {
    ++limits_;
    share();
  }
  const std::size_t number = size_ == bound_ ? make_room(now) : size_;
  CounterSlot* slot = std::construct_at(slots_ + number);
  slot->hash = hash;
  slot->limit = limit;
  slot->first = first;
  if (first) ++counts_[limit].keys;
  std::size_t at = home(hash);
  while (index_[at] != 0) at = after(at);
  index_[at] = mark_of(hash) | static_cast<Entry>(number + 1);
  ++size_;
  return *slot;
}

void KeyTable::note(CounterSlot& slot, Instant full_at, bool spent) noexcept {
  const bool goes_sooner = full_at < slot.full_at || spent != slot.spent;
  slot.full_at = full_at;
  slot.spent = spent;
  if (goes_sooner) ranks_.set(static_cast<std::size_t>(&slot - slots_), rank_of(slot));
}

std::size_t KeyTable::forget(std::uint16_t limit, std::size_t from, std::size_t count) {
  std::size_t found = 0;
  for (std::size_t i = from; i < size_ && i - from < count; ++i) {
    auto& slot = slots_[i];
    if (slot.limit != limit || slot.algorithm == 0 || slot.mark) continue;
    slot.state = State();
    slot.algorithm = 0;
    note(slot, Instant::min(), false);
    if (slot.first) ++found;
  }
  return found;
}

/// Returns the slot to evict according to ranks_, which may be out of date.
std::size_t KeyTable::first(Instant now) const noexcept {
  return ranks_.highest_low() >= rank(now) ? ranks_.first_by_low() : ranks_.first();
}

/// Updates the ranks of some slots in turn. If no rank has kExcess, updates more slots, because a limit may exceed its
/// share although its counters are not used.
void KeyTable::look_around() noexcept {
  if (limits_ < 2) return;
  for (int look = 0; look < kMaxLooks && (look < kLooksAround || ranks_.highest() < kExcess); ++look) {
    hand_ = hand_ + 1 < size_ ? hand_ + 1 : 0;
    ranks_.set(hand_, rank_of(slots_[hand_]));
  }
}

/// Evicts one counter and returns the number of its slot.
std::size_t KeyTable::make_room(Instant now) {
  look_around();
  std::size_t number = first(now);
  for (int look = 1; look < kMaxLooks && ranks_.at(number) != rank_of(slots_[number]); ++look) {
    ranks_.set(number, rank_of(slots_[number]));
    number = first(now);
  }
  if (slots_[number].full_at > now) {
    number = ranks_.first();  // used because slot `number` may still hold a spent key after kMaxLooks attempts
    // The rank may be out of date: the slot's limit may have exceeded its share only earlier. In this case, a nearby
    // slot that is not spent is evicted.
    const bool stale = ranks_.at(number) != rank_of(slots_[number]);
    for (int look = 0; stale && slots_[number].spent && look < kMaxLooks; ++look) {
      hand_ = hand_ + 1 < size_ ? hand_ + 1 : 0;
      if (!slots_[hand_].spent) number = hand_;
    }
    ++evicted_;
    ++counts_[slots_[number].limit].evicted;
  }
  if (slots_[number].first) --counts_[slots_[number].limit].keys;
  if (--counts_[slots_[number].limit].tracked == 0) {
    --limits_;
    share();
  }
  --size_;
  drop_entry(number);
  std::destroy_at(slots_ + number);
  return number;
}

void KeyTable::drop_entry(std::size_t number) noexcept {
  std::size_t hole = home(slots_[number].hash);
  while ((index_[hole] & kNumber) != number + 1) hole = after(hole);
  // The gap in the index must be closed, because look-ups end at a gap: each following entry that may be in the gap is
  // moved there.
  std::size_t walked = 1;
  for (std::size_t at = after(hole); index_[at] != 0; at = after(at), ++walked) {
    const std::size_t wanted = home(slots_[(index_[at] & kNumber) - 1].hash);
    const bool between = hole <= at ? (hole < wanted && wanted <= at) : (hole < wanted || wanted <= at);
    if (between) continue;
    index_[hole] = index_[at];
    hole = at;
  }
  index_[hole] = 0;
  longest_walk_ = std::max(longest_walk_, walked);
}

}  // namespace headgate::limit
