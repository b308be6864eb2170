// Fuzzes tokens: anything at all as a token, and anything at all as header and claims of a token that is rightly
// signed.

#include "support/jwt_signer.hpp"

#include "headgate/identity/jwt.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>

namespace {

using namespace headgate;

const std::string kSecret = "0123456789abcdef0123456789abcdef";
constexpr Instant kNow{std::chrono::seconds(1'800'000'000)};

std::shared_ptr<const identity::JwtVerifier> verifier() {
  identity::JwtOptions options;
  options.algorithms = {identity::JwtAlgorithm::HS256};
  options.secret = kSecret;
  return *identity::JwtVerifier::make(options);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const auto verify = verifier();
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (verify->verify(text, kNow)) std::abort();  // nobody guesses a signature

  const auto line = text.find('\n');
  const auto header = line == text.npos ? std::string_view(R"({"alg":"HS256"})") : text.substr(0, line);
  const auto claims = line == text.npos ? text : text.substr(line + 1);
  const auto token = test::sign_hs256(kSecret, claims, header);
  const auto accepted = verify->verify(token, kNow);
  if (accepted && verify->verify(token + 'A', kNow)) std::abort();
  if (accepted && token.size() > 8192) std::abort();
  (void)identity::bearer_token(text);
  return 0;
}
