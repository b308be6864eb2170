#include "key_table.hpp"

#include "wide.hpp"

#include <memory>
#include <utility>

namespace headgate::limit {
namespace {

constexpr std::uint8_t kTaken = 0x80;
constexpr std::uint8_t kSpent = 0x40;

constexpr std::size_t kLooks = 16;  // to find the least used, this many are compared
constexpr std::size_t kMostLooks =
    64;  // but this many before a spent one goes, which would be fresh on its next request

std::uint8_t mark_of(const Hash& hash) noexcept { return static_cast<std::uint8_t>(kTaken | (hash.high & 0x3f)); }

}  // namespace

KeyTable::KeyTable(std::size_t bound)
    : bound_(bound),
      capacity_(bound + bound / 4 + 1),  // at most 80 % full: a look-up that fails reads 13 marks on average
      marks_(capacity_, 0),
      slots_(std::allocator<Slot>().allocate(capacity_)) {
  static_assert(sizeof(Slot) == 64);
}

KeyTable::~KeyTable() {
  for (std::size_t at = 0; at < capacity_; ++at)
    if (marks_[at] != 0) std::destroy_at(slots_ + at);
  std::allocator<Slot>().deallocate(slots_, capacity_);
}

std::size_t KeyTable::home(const Hash& hash) const noexcept {
  return static_cast<std::size_t>((UnsignedWide{hash.low} * capacity_) >> 64);
}

Slot* KeyTable::find(const Hash& hash) noexcept {
  const std::uint8_t mark = mark_of(hash);
  for (std::size_t at = home(hash); marks_[at] != 0; at = after(at))
    if ((marks_[at] & ~kSpent) == mark && slots_[at].hash == hash) return slots_ + at;
  return nullptr;
}

Slot& KeyTable::insert(const Hash& hash, Instant now) {
  if (size_ == bound_) make_room(now);
  std::size_t at = home(hash);
  while (marks_[at] != 0) at = after(at);
  Slot* slot = std::construct_at(slots_ + at);
  slot->hash = hash;
  marks_[at] = mark_of(hash);
  ++size_;
  return *slot;
}

void KeyTable::set_spent(const Slot& slot, bool spent) noexcept {
  std::uint8_t& mark = marks_[static_cast<std::size_t>(&slot - slots_)];
  mark = static_cast<std::uint8_t>(spent ? mark | kSpent : mark & ~kSpent);
}

void KeyTable::make_room(Instant now) {
  std::size_t best = capacity_;
  bool best_spent = true;
  for (std::size_t looked = 0; looked < size_; hand_ = after(hand_)) {
    if (marks_[hand_] == 0) continue;
    if (slots_[hand_].full_at <= now) return erase(hand_);
    const bool spent = (marks_[hand_] & kSpent) != 0;
    const bool better =
        best == capacity_ || (spent != best_spent ? best_spent : slots_[hand_].full_at < slots_[best].full_at);
    if (better) {
      best = hand_;
      best_spent = spent;
    }
    ++looked;
    if (looked >= (best_spent ? kMostLooks : kLooks)) break;
  }
  ++evicted_;
  erase(best);
}

void KeyTable::erase(std::size_t hole) noexcept {
  // Close the gap: whatever could have been placed in it moves there, so that no look-up ends too early.
  for (std::size_t at = after(hole); marks_[at] != 0; at = after(at)) {
    const std::size_t wanted = home(slots_[at].hash);
    const bool between = hole <= at ? (hole < wanted && wanted <= at) : (hole < wanted || wanted <= at);
    if (between) continue;
    slots_[hole] = std::move(slots_[at]);
    marks_[hole] = marks_[at];
    hole = at;
  }
  std::destroy_at(slots_ + hole);
  marks_[hole] = 0;
  --size_;
}

}  // namespace headgate::limit
