#include "headgate/identity/digest_memory.hpp"

#include <functional>

namespace headgate::identity {

DigestMemory::DigestMemory() : rows_(std::make_unique<std::array<Row, kPlaces / kInRow>>()) {}

const DigestMemory::Known& DigestMemory::digest(std::string_view text) {
  const auto known = [text] {
    const auto digest = sha256(text);
    return Known{digest, digest_text(digest)};
  };
  if (text.empty() || text.size() > kLongest) return passing_ = known();
  const auto hash = std::hash<std::string_view>{}(text);
  const auto mark = static_cast<std::uint32_t>(hash >> 32);
  auto& row = (*rows_)[hash % rows_->size()];
  for (std::size_t i = 0; i < kInRow; ++i) {
    const auto& place = row.places[i];
    if (row.marks[i] == mark && std::string_view(place.text.data(), place.size) == text) return place.known;
  }
  const auto at = row.next++ % kInRow;
  auto& place = row.places[at];
  row.marks[at] = mark;
  place.known = known();
  text.copy(place.text.data(), text.size());
  place.size = static_cast<std::uint8_t>(text.size());
  return place.known;
}

}  // namespace headgate::identity
