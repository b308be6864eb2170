// Fuzzes JWK Sets: any bytes as a set, and any bytes as a member of a key. No accepted key may verify a token without a
// signature.

#include "fuzzer.hpp"
#include "support/jwk_writer.hpp"

#include "headgate/identity/jwt.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace headgate::fuzz {
namespace {

using identity::JwtAlgorithm;

constexpr Instant kWhen{std::chrono::seconds(1'800'000'000)};
const std::vector<JwtAlgorithm> kAlgorithms{JwtAlgorithm::HS256, JwtAlgorithm::RS256, JwtAlgorithm::PS256,
                                            JwtAlgorithm::ES256, JwtAlgorithm::ES384, JwtAlgorithm::ES512,
                                            JwtAlgorithm::EdDSA};

void check(const std::string& set) {
  const auto keys = identity::JwtKeys::of_jwk_set(set, kAlgorithms);
  if (!keys) {
    demand(!keys.error().empty() && keys.error().back() != '.');
    return;
  }
  demand(!(*keys)->empty());
  identity::JwtOptions options;
  options.issuers.emplace_back().algorithms = kAlgorithms;
  const auto verify = *identity::JwtVerifier::make(options, {*keys});
  for (const auto& [name, size] :
       {std::pair("HS256", 32UL), std::pair("RS256", 256UL), std::pair("ES256", 64UL), std::pair("EdDSA", 64UL)}) {
    const auto input = test::signing_input(test::jose_header(name), "{}");
    demand(!verify->verify(input + '.' + test::base64url(std::string(size, '\0')), kWhen));
  }
}

}  // namespace

void jwk_set_fuzz(std::string_view bytes) {
  static const auto key = test::make_curve_key("P-256");
  const std::string text(bytes);
  check(text);
  check(test::jwk_set({text}));
  check(test::jwk_set({test::jwk(key.get(), "," + text)}));
}

}  // namespace headgate::fuzz
