#include "headgate/identity/digest_memory.hpp"

#include <functional>

namespace headgate::identity {

DigestMemory::DigestMemory() : places_(std::make_unique<std::array<Place, kPlaces>>()) {}

Sha256 DigestMemory::digest(std::string_view text) {
  if (text.empty() || text.size() > kLongest) return sha256(text);
  auto& place = (*places_)[std::hash<std::string_view>{}(text) % kPlaces];
  if (std::string_view(place.text.data(), place.size) == text) return place.digest;
  place.digest = sha256(text);
  text.copy(place.text.data(), text.size());
  place.size = static_cast<std::uint8_t>(text.size());
  return place.digest;
}

}  // namespace headgate::identity
