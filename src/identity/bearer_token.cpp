#include "headgate/core/text.hpp"
#include "headgate/identity/jwt.hpp"

namespace headgate::identity {

std::string_view bearer_token(std::string_view authorization) noexcept {
  constexpr std::string_view kScheme = "bearer ";
  authorization = trimmed(authorization);
  if (!same_word(authorization.substr(0, kScheme.size()), kScheme)) return {};
  return trimmed(authorization.substr(kScheme.size()));
}

}  // namespace headgate::identity
