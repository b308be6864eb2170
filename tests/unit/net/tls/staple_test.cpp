// The OCSP responses of tests/unit/config/beside/tls, whose mistakes `headgate check` reports in
// tests/unit/config/faults.
#include "headgate/net/tls/staple.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

namespace headgate::net {
namespace {

std::string beside_tls(const std::string& name) {
  std::ifstream file(std::string(HEADGATE_SOURCE_DIR) + "/tests/unit/config/beside/tls/" + name, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

auto read_file(const std::string& name) { return read_staple(beside_tls(name), beside_tls("good.pem")); }

std::string refusal_of(const std::string& name) {
  const auto read = read_file(name);
  return read.has_error() ? read.error().why : "none";
}

constexpr Instant kBegin = std::chrono::sys_days(std::chrono::year(2024) / 1 / 1);

TEST(Staple, TellsItsTimeAndWhatItSays) {
  const auto good = read_file("good.staple");
  ASSERT_TRUE(good.has_value()) << good.error().why;
  EXPECT_EQ(good->response, beside_tls("good.staple"));
  EXPECT_EQ(good->from, kBegin);
  EXPECT_EQ(good->until, kBegin + std::chrono::days(36500));
  EXPECT_FALSE(good->revoked);
  EXPECT_TRUE(read_file("revoked.staple")->revoked);
}

TEST(Staple, IsFreshFromFiveMinutesBeforeItsBeginToItsEnd) {
  const Staple staple{.response = "x", .from = kBegin, .until = kBegin + std::chrono::days(1)};
  EXPECT_FALSE(staple.fresh(kBegin - std::chrono::seconds(301)));
  EXPECT_TRUE(staple.fresh(kBegin - std::chrono::seconds(300)));
  EXPECT_TRUE(staple.fresh(staple.until - std::chrono::seconds(1)));
  EXPECT_FALSE(staple.fresh(staple.until));
  EXPECT_FALSE(Staple().fresh(kBegin));
}

TEST(Staple, MayBeSignedByAResponderAndEndsWithItsCertificate) {
  const auto delegated = read_file("delegated.staple");
  ASSERT_TRUE(delegated.has_value()) << delegated.error().why;
  EXPECT_EQ(delegated->until, kBegin + std::chrono::days(36470));
}

TEST(Staple, SaysWhyItCannotBeUsed) {
  EXPECT_EQ(refusal_of("good.pem"), "holds no OCSP response in DER");
  EXPECT_EQ(refusal_of("missing.staple"), "holds no OCSP response in DER");
  EXPECT_EQ(refusal_of("refusal.staple"), "holds no answer of the responder, but its error trylater");
  EXPECT_EQ(refusal_of("rsa.staple"), "is for another certificate");
  EXPECT_EQ(refusal_of("unknown.staple"), "says that the responder does not know the certificate");
  EXPECT_EQ(refusal_of("endless.staple"), "does not say when it expires (nextUpdate)");
  const std::string stranger =
      "is signed neither by the issuer of the certificate nor by a responder that the issuer authorised";
  EXPECT_EQ(refusal_of("forged.staple"), stranger);
  EXPECT_EQ(refusal_of("usurped.staple"), stranger);
  const auto more = read_staple(beside_tls("good.staple") + "x", beside_tls("good.pem"));
  EXPECT_EQ(more.error().why, "holds no OCSP response in DER") << "something follows it";
}

TEST(Staple, IsNotVerifiedWithoutTheIssuerButMustBeForTheCertificate) {
  const auto chain = beside_tls("good.pem");
  const auto alone = chain.substr(0, chain.find("-----BEGIN", 1));
  EXPECT_TRUE(read_staple(beside_tls("forged.staple"), alone).has_value());
  EXPECT_EQ(read_staple(beside_tls("rsa.staple"), alone).error().why, "is for another certificate");
}

/// The file is what another program wrote: every byte of it may be wrong.
TEST(Staple, SurvivesEveryCutAndEveryChangedByte) {
  const auto whole = beside_tls("delegated.staple");
  const auto chain = beside_tls("good.pem");
  for (std::size_t i = 0; i < whole.size(); i += 31) {
    EXPECT_TRUE(read_staple(whole.substr(0, i), chain).has_error()) << i;
    auto changed = whole;
    changed[i] = static_cast<char>(changed[i] ^ 0x55);
    (void)read_staple(changed, chain);
  }
}

}  // namespace
}  // namespace headgate::net
