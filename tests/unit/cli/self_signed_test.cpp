#include "../../../src/cli/keys/self_signed.hpp"

#include <gtest/gtest.h>

namespace headgate::cli {
namespace {

TEST(SelfSigned, KnowsTheNamesThatACertificateCanHave) {
  for (const char* name :
       {"localhost", "a", "api.example.com", "*.example.com", "127.0.0.1", "::1", "xn--bcher-kva.example"})
    EXPECT_TRUE(is_certificate_name(name)) << name;
  for (const char* name :
       {"", "a b", "a,DNS:evil.example", "a.", ".a", "-a", "*", "a.*.b", "[::1]", "http://a", "a:80", "a_b"})
    EXPECT_FALSE(is_certificate_name(name)) << name;
  EXPECT_FALSE(is_certificate_name(std::string(64, 'a')));
}

TEST(SelfSigned, MakesAnotherKeyEachTime) {
  const auto one = self_signed({"localhost"}, 1);
  const auto two = self_signed({"localhost"}, 1);
  ASSERT_TRUE(one.has_value() && two.has_value());
  EXPECT_NE(one->key, two->key);
  EXPECT_NE(one->certificate, two->certificate);
  EXPECT_TRUE(one->certificate.starts_with("-----BEGIN CERTIFICATE-----\n"));
  EXPECT_TRUE(one->key.starts_with("-----BEGIN PRIVATE KEY-----\n"));
}

}  // namespace
}  // namespace headgate::cli
