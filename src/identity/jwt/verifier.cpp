#include "claims.hpp"

#include "headgate/identity/jwt.hpp"

namespace headgate::identity {

class SigningKey {};

JwtKeys::JwtKeys(std::vector<std::shared_ptr<const SigningKey>> keys) : keys_(std::move(keys)) {}
JwtKeys::~JwtKeys() = default;
JwtKeys::Made JwtKeys::of_configuration(const JwtIssuer&) { return std::string("not yet"); }
JwtKeys::Made JwtKeys::of_jwk_set(std::string_view, std::span<const JwtAlgorithm>) { return std::string("not yet"); }
std::shared_ptr<const JwtKeys> JwtKeys::merged(const JwtKeys& one, const JwtKeys&) {
  return std::shared_ptr<const JwtKeys>(new JwtKeys(one.keys_));
}
Result<std::shared_ptr<const JwtVerifier>, std::string> JwtVerifier::make(const JwtOptions&,
                                                                          std::vector<std::shared_ptr<const JwtKeys>>) {
  return std::string("not yet");
}
std::string_view to_text(JwtError) noexcept { return "?"; }

}  // namespace headgate::identity
