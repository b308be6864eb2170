// Fuzzes JWK Sets: any bytes as a set, and any bytes as a member of a key. No accepted key may verify a token without a
// signature.

#include "support/jwk_writer.hpp"

#include "headgate/identity/jwt.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

namespace {

using namespace headgate;
using identity::JwtAlgorithm;

constexpr Instant kNow{std::chrono::seconds(1'800'000'000)};
const std::vector<JwtAlgorithm> kAlgorithms{JwtAlgorithm::HS256, JwtAlgorithm::RS256, JwtAlgorithm::PS256,
                                            JwtAlgorithm::ES256, JwtAlgorithm::ES384, JwtAlgorithm::ES512,
                                            JwtAlgorithm::EdDSA};

void require(bool holds) {
  if (!holds) std::abort();
}

void check(const std::string& set) {
  const auto keys = identity::JwtKeys::of_jwk_set(set, kAlgorithms);
  if (!keys) {
    require(!keys.error().empty() && keys.error().back() != '.');
    return;
  }
  require(!(*keys)->empty());
  identity::JwtOptions options;
  options.issuers.emplace_back().algorithms = kAlgorithms;
  const auto verify = *identity::JwtVerifier::make(options, {*keys});
  for (const auto& [name, size] :
       {std::pair("HS256", 32UL), std::pair("RS256", 256UL), std::pair("ES256", 64UL), std::pair("EdDSA", 64UL)}) {
    const auto input = test::signing_input(test::jose_header(name), "{}");
    require(!verify->verify(input + '.' + test::base64url(std::string(size, '\0')), kNow));
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const auto key = test::make_curve_key("P-256");
  const std::string text(reinterpret_cast<const char*>(data), size);
  check(text);
  check(test::jwk_set({text}));
  check(test::jwk_set({test::jwk(key.get(), "," + text)}));
  return 0;
}
