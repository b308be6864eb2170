#include "headgate/identity/jwt.hpp"

#include <cstddef>

namespace headgate::identity {

std::string_view bearer_token(std::string_view authorization) noexcept {
  constexpr std::string_view kScheme = "bearer ";
  const auto first = authorization.find_first_not_of(" \t");
  if (first == authorization.npos) return {};
  authorization.remove_prefix(first);
  if (authorization.size() < kScheme.size()) return {};
  for (std::size_t i = 0; i < kScheme.size(); ++i) {
    const char c = authorization[i];
    const char lower = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    if (lower != kScheme[i]) return {};
  }
  const auto begin = authorization.find_first_not_of(" \t", kScheme.size());
  if (begin == authorization.npos) return {};
  return authorization.substr(begin, authorization.find_last_not_of(" \t") - begin + 1);
}

}  // namespace headgate::identity
