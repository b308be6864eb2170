#pragma once
// A digest where people read it, and as the key of a counter.

#include "headgate/identity/sha256.hpp"

#include <array>
#include <string_view>

namespace headgate::identity {

using DigestText = std::array<char, 33>;

/// '~' and 128 bits of a digest in hexadecimal: the same in every gateway, and no other text with it can be found.
DigestText digest_text(const Sha256& digest) noexcept;

inline std::string_view as_text(const DigestText& text) noexcept { return {text.data(), text.size()}; }

}  // namespace headgate::identity
