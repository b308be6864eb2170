// Fuzzes tokens: any bytes as a token, and any bytes as header and claims of a correctly signed token. The token cache
// must return the result of the verification.

#include "fuzzer.hpp"
#include "support/jwt_signer.hpp"

#include "headgate/identity/jwt.hpp"
#include "headgate/identity/token_cache.hpp"

#include <memory>
#include <string>
#include <string_view>

namespace headgate::fuzz {
namespace {

using identity::JwtAlgorithm;

const std::string kSecret = "0123456789abcdef0123456789abcdef";
constexpr Instant kNow{std::chrono::seconds(1'800'000'000)};

/// One issuer with a secret and a curve's key, and no name.
std::shared_ptr<const identity::JwtVerifier> verifier() {
  identity::JwtOptions options;
  auto& issuer = options.issuers.emplace_back();
  issuer.algorithms = {JwtAlgorithm::HS256, JwtAlgorithm::ES256};
  issuer.keys.secret = kSecret;
  issuer.keys.public_key_pem = test::public_key_pem(test::make_curve_key("P-256").get());
  return *identity::JwtVerifier::make(options, {*identity::JwtKeys::of_configuration(issuer)});
}

/// Two issuers, so that the claims are read before the signature is checked.
std::shared_ptr<const identity::JwtVerifier> verifier_of_two() {
  identity::JwtOptions options;
  std::vector<std::shared_ptr<const identity::JwtKeys>> keys;
  for (const auto* name : {"joe", "jim"}) {
    auto& issuer = options.issuers.emplace_back();
    issuer.issuer = name;
    issuer.algorithms = {JwtAlgorithm::HS256};
    issuer.max_age = std::chrono::hours(1);
    issuer.keys.secret = kSecret;
    keys.push_back(*identity::JwtKeys::of_configuration(issuer));
  }
  return *identity::JwtVerifier::make(options, std::move(keys));
}

void check_rightly_signed(const identity::JwtVerifier& verify, const std::string& token) {
  const auto found = verify.verify(token, kNow);
  if (!found) {
    demand(found.error().until > kNow);
    return;
  }
  demand(token.size() <= 8192);
  demand(found->good_from <= kNow && kNow < found->good_until);
  demand(!verify.verify(token + 'A', kNow));
  identity::TokenCache memory(8);
  const auto kept = memory.put(token, *found);
  const auto known = memory.get(token, kNow);
  demand(!known || known->token == kept);
}

}  // namespace

void jwt_fuzz(std::string_view text) {
  static const auto one = verifier();
  static const auto two = verifier_of_two();
  demand(!one->verify(text, kNow) && !two->verify(text, kNow));  // nobody guesses a signature

  const auto line = text.find('\n');
  const auto header = line == text.npos ? std::string_view(R"({"alg":"HS256"})") : text.substr(0, line);
  const auto claims = line == text.npos ? text : text.substr(line + 1);
  const auto token = test::sign_hs256(kSecret, claims, header);
  check_rightly_signed(*one, token);
  check_rightly_signed(*two, token);
  (void)identity::bearer_token(text);
}

}  // namespace headgate::fuzz
