#include "headgate/core/per_enum.hpp"
#include "headgate/identity/jwt.hpp"

#include <array>

namespace headgate::identity {

std::string_view to_text(JwtError error) noexcept {
  constexpr WordsOf<JwtError> kNames({"malformed", "unsupported_algorithm", "wrong_type", "no_keys", "unknown_key",
                                      "bad_signature", "expired", "not_yet_valid", "too_old", "wrong_issuer",
                                      "wrong_audience", "too_large"});
  return kNames[error];
}

}  // namespace headgate::identity
