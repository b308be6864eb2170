#include "headgate/identity/jwt.hpp"

#include <array>

namespace headgate::identity {

std::string_view to_text(JwtError error) noexcept {
  constexpr std::array<std::string_view, kJwtErrors> kNames{
      "malformed", "unsupported_algorithm", "wrong_type", "no_keys",      "unknown_key",    "bad_signature",
      "expired",   "not_yet_valid",         "too_old",    "wrong_issuer", "wrong_audience", "too_large"};
  return kNames[static_cast<std::size_t>(error)];
}

}  // namespace headgate::identity
