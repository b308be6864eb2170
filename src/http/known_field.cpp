#include "headgate/http/fields.hpp"

#include <array>
#include <cstdint>
#include <string>

namespace headgate::http {
namespace {

constexpr std::size_t kIds = static_cast<std::size_t>(Known::xref) + 1;  // the last of Beast's names
constexpr std::size_t kSlots = 4096;                                     // about a tenth of the slots is used

/// Hashes the letters in which names differ most. Ignores case.
std::size_t slot_of(std::string_view name) noexcept {
  const auto letter = [name](std::size_t at) { return static_cast<std::uint32_t>(name[at] | 0x20); };
  const auto last = name.size() - 1;
  const auto ends = letter(0) << 16 | letter(last) << 8 | letter(last / 2);
  const auto inner = letter(last / 4) << 8 | letter(last - last / 4);
  const auto mixed = (ends * 0x9E3779B1U) ^ ((inner + static_cast<std::uint32_t>(name.size())) * 0x85EBCA6BU);
  return mixed >> 20;
}

/// A hash table of the names: for each slot the id whose name belongs there. Collisions use the next free slot.
struct Table {
  std::array<std::string_view, kIds> names;
  std::array<std::string, kIds> small;  // in lower case, as sent over HTTP/2
  std::array<std::uint16_t, kSlots> ids{};

  Table() noexcept {
    for (std::uint16_t id = 1; id < kIds; ++id) {
      const auto name = boost::beast::http::to_string(static_cast<Known>(id));
      names[id] = {name.data(), name.size()};
      small[id] = lower(names[id]);
      auto slot = slot_of(names[id]);
      while (ids[slot] != 0) slot = (slot + 1) % kSlots;
      ids[slot] = id;
    }
  }
};

const Table kTable;

}  // namespace

Known known_field(std::string_view name) noexcept {
  if (name.empty()) return Known::unknown;
  for (auto slot = slot_of(name); kTable.ids[slot] != 0; slot = (slot + 1) % kSlots) {
    const auto id = kTable.ids[slot];
    const auto known = kTable.names[id];
    if (known == name || kTable.small[id] == name || same_word(known, name)) return static_cast<Known>(id);
  }
  return Known::unknown;
}

}  // namespace headgate::http
