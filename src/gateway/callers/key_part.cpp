#include "key_part.hpp"

namespace headgate::gateway {

std::string_view key_part(Exchange& x, identity::KeyPart part) {
  const auto* const key = x.caller.known_key;
  if (key == nullptr) return {};
  switch (part) {
    case identity::KeyPart::owner:
      return key->owner;
    case identity::KeyPart::tier:
      return key->tier;
    case identity::KeyPart::tags:
      break;
  }
  if (key->tags.empty()) return {};
  auto out = x.text.join({key->tags.front()});
  for (std::size_t i = 1; i < key->tags.size(); ++i) out = x.text.extend(out, {", ", key->tags[i]});
  return out;
}

}  // namespace headgate::gateway
