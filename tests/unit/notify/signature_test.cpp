// Secrets and signatures, against other ways to compute them.
#include "headgate/notify/signature.hpp"

#include "openssl_signature.hpp"

#include <gmock/gmock.h>

namespace headgate::notify::test {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(WebhookSignature, IsWhatTheCommandOpensslComputes) {
  // printf 'msg_1.1731705121.{"a":1}' | openssl dgst -sha256 -hmac abcdefghijklmnopqrstuvwx -binary | base64
  EXPECT_EQ(signature({"abcdefghijklmnopqrstuvwx"}, "msg_1", 1731705121, R"({"a":1})"),
            "v1,KLop9yrqzGSjMcggTOWhUj9RqhZl6zLaGohQd+wDJ0Y=");
}

TEST(WebhookSignature, IsThatOfAnyBody) {
  const std::string secret(32, '\xfe');
  for (const auto& body : {std::string(), std::string("{}"), std::string(100'000, 'x'), std::string("a\0b", 3)})
    EXPECT_EQ(signature({secret}, "id-1", 12, body), openssl_signature(secret, "id-1.12." + body));
}

TEST(WebhookSignature, HasOneOfEachSecret) {
  const std::string one(24, 'a');
  const std::string two(24, 'b');
  EXPECT_EQ(signature({one, two}, "id", 1, "{}"),
            openssl_signature(one, "id.1.{}") + ' ' + openssl_signature(two, "id.1.{}"));
  EXPECT_EQ(signature({}, "id", 1, "{}"), "");
}

TEST(WebhookSecret, IsReadStrictly) {
  const auto repeat = [](std::size_t groups) {
    std::string out = "whsec_";
    while (groups-- > 0) out += "QUJD";
    return out;
  };
  EXPECT_EQ(*read_secret(repeat(8)), "ABCABCABCABCABCABCABCABC");
  EXPECT_EQ(read_secret(repeat(21) + "QQ==")->size(), 64U);
  for (const auto& text : {std::string(), std::string("whsec_"), std::string("secret"), repeat(7), repeat(22),
                           repeat(100'000), repeat(8) + "Q", repeat(8) + "QQ=", repeat(8) + "QR==", repeat(8) + "Q===",
                           repeat(8) + "====", ' ' + repeat(8), repeat(8) + "QQ==\n", "whsec_ " + repeat(8).substr(6),
                           repeat(8).substr(6), repeat(8) + "QU-_", "WHSEC_" + repeat(8).substr(6)}) {
    const auto secret = read_secret(text);
    ASSERT_TRUE(secret.has_error()) << text;
    EXPECT_THAT(secret.error(), HasSubstr("make one with echo whsec_$(openssl rand -base64 32)"));
    EXPECT_THAT(secret.error(), Not(HasSubstr("QUJD")));
  }
}

}  // namespace
}  // namespace headgate::notify::test
