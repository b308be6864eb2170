// The place of an issuer's JWK Set: a file or a URL.

#include "config/text/report.hpp"
#include "formats.hpp"

#include "headgate/keyring/url.hpp"

namespace headgate::config {

bool is_url(std::string_view jwk_set) noexcept { return jwk_set.find("://") != std::string_view::npos; }

std::optional<LiteralError> check_jwk_set(std::string_view text) {
  if (!is_url(text)) return check_file_path(text);
  const auto url = keyring::parse_url(text);
  if (url.has_value()) return std::nullopt;
  auto error = fault_and_help(url.error());
  error.message = "no keys can be fetched from here: " + error.message;
  return error;
}

}  // namespace headgate::config
