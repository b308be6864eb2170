#include "found_set.hpp"

#include "headgate/core/utf8.hpp"

#include <algorithm>
#include <bit>

namespace headgate::scan {
namespace {

constexpr Found kAbsent;

template <class Function>
void for_each_bit(std::uint64_t bits, Function function) noexcept {
  for (; bits != 0; bits &= bits - 1) function(static_cast<std::size_t>(std::countr_zero(bits)));
}

/// Forgets the value before, but not whether it was repeated.
void set(Found& found, Found::Kind kind) noexcept {
  const bool repeated = found.repeated;
  found = Found();
  found.kind = kind;
  found.repeated = repeated;
}

}  // namespace

void FoundSet::begin(const Pointers& pointers) {
  slots_.resize(pointers.size());
  values_ = 0;
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    slots_[i].found = Found();
    if (pointers.take(i) == Take::value) values_ |= std::uint64_t{1} << i;
  }
}

void FoundSet::text(std::uint64_t targets, std::string_view text, std::uint64_t length, Extent place) noexcept {
  for_each_bit(targets & values_, [&](std::size_t index) {
    auto& slot = slots_[index];
    const auto shown = whole_characters(text, kMaxText);
    std::copy(shown.begin(), shown.end(), slot.text.begin());
    set(slot.found, Found::Kind::text);
    slot.found.text = {slot.text.data(), shown.size()};
    slot.found.cut = length > kMaxText;
    slot.found.at = place.at;
    slot.found.size = place.size;
  });
  for_each_bit(targets & ~values_, [&](std::size_t index) {
    auto& found = slots_[index].found;
    found.number += static_cast<std::int64_t>(length);
    found.kind = Found::Kind::text;
  });
}

void FoundSet::number(std::uint64_t targets, std::int64_t number, Extent place) noexcept {
  for_each_bit(targets & values_, [&](std::size_t index) {
    auto& found = slots_[index].found;
    set(found, Found::Kind::number);
    found.number = number;
    found.at = place.at;
    found.size = place.size;
  });
}

void FoundSet::boolean(std::uint64_t targets, bool truth) noexcept {
  for_each_bit(targets & values_, [&](std::size_t index) {
    auto& found = slots_[index].found;
    set(found, Found::Kind::boolean);
    found.truth = truth;
  });
}

void FoundSet::structure(std::uint64_t targets) noexcept {
  for_each_bit(targets & values_, [&](std::size_t index) { set(slots_[index].found, Found::Kind::structure); });
}

void FoundSet::null(std::uint64_t targets, Extent place) noexcept {
  for_each_bit(targets & values_, [&](std::size_t index) {
    auto& found = slots_[index].found;
    if (found.kind != Found::Kind::absent) return;
    found.kind = Found::Kind::null;
    found.at = place.at;
    found.size = place.size;
  });
}

void FoundSet::repeated(std::uint64_t targets) noexcept {
  for_each_bit(targets, [&](std::size_t index) { slots_[index].found.repeated = true; });
}

const Found& FoundSet::found(std::size_t index) const noexcept {
  return index < slots_.size() ? slots_[index].found : kAbsent;
}

}  // namespace headgate::scan
