// The certificates of tests/unit/config/beside/tls, whose mistakes `headgate check` reports in
// tests/unit/config/faults.
#include "headgate/net/tls/certificate.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

namespace headgate::net {
namespace {

using testing::ElementsAre;

std::string content(const std::string& name) {
  std::ifstream file(std::string(HEADGATE_SOURCE_DIR) + "/tests/unit/config/beside/tls/" + name);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string fault(const std::string& chain, const std::string& key) {
  const auto read = read_certificate(chain, key);
  return read.has_error() ? read.error().why : "none";
}

TEST(Certificate, TellsItsNamesItsKindAndItsEnd) {
  const auto read = read_certificate(content("good.pem"), content("good.key"));
  ASSERT_TRUE(read.has_value()) << read.error().why;
  EXPECT_THAT(read->names, ElementsAre("a.example", "*.wild.example", "localhost", "test.example"));
  EXPECT_EQ(read->kind, KeyKind::ec);
  EXPECT_TRUE(read->named);
  EXPECT_EQ(read->stray, 0U);
  EXPECT_EQ(read->not_before, Instant(std::chrono::sys_days(std::chrono::year(2024) / 1 / 1)));
  EXPECT_GT(read->not_after, read->not_before);
  EXPECT_EQ(read_certificate(content("rsa.pem"), content("rsa.key"))->kind, KeyKind::rsa);
  EXPECT_THAT(read_certificate(content("other.pem"), content("good.key"))->names, ElementsAre("b.example", "a.example"))
      << "in lower case";
}

TEST(Certificate, SaysWhyItCannotBeUsed) {
  EXPECT_EQ(fault("", content("good.key")), "holds no certificate in PEM");
  EXPECT_EQ(fault(content("good.key"), content("good.key")), "holds no certificate in PEM");
  EXPECT_EQ(fault(content("good.pem"), content("good.pem")),
            "holds no key in PEM that can be read without a passphrase");
  EXPECT_EQ(fault(content("good.pem"), content("locked.key")),
            "holds no key in PEM that can be read without a passphrase");
  EXPECT_EQ(fault(content("good.pem"), content("rsa.key")), "does not belong to the certificate");
  EXPECT_EQ(fault(content("reversed.pem"), content("good.key")),
            "has the certificate that belongs to the key in the second place, not in the first");
  auto broken = content("good.pem");
  broken[broken.size() / 3] = '*';
  EXPECT_EQ(fault(broken, content("good.key")), "holds no certificate in PEM");
}

TEST(Certificate, IsOneThatHandshakesCanUse) {
  EXPECT_EQ(fault(content("weak.pem"), content("weak.key")), "is too weak for any handshake: ee key too small");
}

TEST(Certificate, KnowsAStrayInItsChain) {
  EXPECT_EQ(read_certificate(content("stray.pem"), content("good.key"))->stray, 2U);
  EXPECT_FALSE(read_certificate(content("nameless.pem"), content("good.key"))->named);
}

TEST(Certificate, GroupsAreThoseOfOpenSsl) {
  EXPECT_TRUE(is_group("X25519"));
  EXPECT_TRUE(is_group("P-256"));
  for (const char* none : {"", "P-1024", "X25519:P-256", "x"}) EXPECT_FALSE(is_group(none)) << none;
}

}  // namespace
}  // namespace headgate::net
