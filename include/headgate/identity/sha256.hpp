#pragma once
// SHA-256, for secrets that must be recognised but not kept.

#include <array>
#include <string_view>

namespace headgate::identity {

using Sha256 = std::array<unsigned char, 32>;

/// Any thread; does not allocate after a thread's first call.
Sha256 sha256(std::string_view text);

}  // namespace headgate::identity
