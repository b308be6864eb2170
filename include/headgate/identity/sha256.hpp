#pragma once
// SHA-256, for secrets that the gateway must recognise but must not keep. Used by most modules that handle keys.

#include <array>
#include <string_view>

namespace headgate::identity {

using Sha256 = std::array<unsigned char, 32>;

/// Returns the digest. Any thread; does not allocate after a thread's first call.
Sha256 sha256(std::string_view text);

/// A shortened digest as text, for logs and for keys of counters.
using DigestText = std::array<char, 33>;

/// Returns '~' and 128 bits of a digest in hexadecimal. The result is the same in every gateway, and nobody can find
/// another text with the same result.
DigestText digest_text(const Sha256& digest) noexcept;

inline std::string_view as_text(const DigestText& text) noexcept { return {text.data(), text.size()}; }

}  // namespace headgate::identity
