// What certificates say, for people.

#include "headgate/net/tls/certificate_words.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

namespace headgate::net {
namespace {

using testing::IsEmpty;

std::string path_of(const std::string& name) {
  return std::string(HEADGATE_SOURCE_DIR) + "/tests/unit/config/beside/tls/" + name;
}

std::string text_of_file(const std::string& name) {
  std::ifstream file(path_of(name));
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST(CertificateWords, TellSubjectIssuerNamesAndTimes) {
  const auto all = words_of_pem(text_of_file("good.pem"));
  ASSERT_FALSE(all.empty());
  const auto& one = all.front();
  EXPECT_THAT(one.names, testing::Contains("*.wild.example"));
  EXPECT_NE(one.subject.find("CN="), std::string::npos) << one.subject;
  EXPECT_FALSE(one.issuer.empty());
  EXPECT_EQ(one.serial.find_first_not_of("0123456789ABCDEF"), std::string::npos) << one.serial;
  EXPECT_FALSE(one.serial.empty());
  EXPECT_EQ(one.not_before, Instant(std::chrono::sys_days(std::chrono::year(2024) / 1 / 1)));
  EXPECT_GT(one.not_after, one.not_before);
}

TEST(CertificateWords, AreNoneOfATextWithoutACertificate) { EXPECT_THAT(words_of_pem("no certificate"), IsEmpty()); }

TEST(CertificateWords, AreThoseThatAContextUsesAlsoWhenTheFileIsGone) {
  const TlsOptions options{
      .ca = path_of("good.pem"), .certificate = path_of("rsa.pem"), .key = path_of("rsa.key"), .server_name = {}};
  const auto context = TlsContext::of_client(options);
  ASSERT_TRUE(context.has_value()) << context.error();
  const auto own = words_of_own(**context);
  ASSERT_EQ(own.size(), 1U);
  EXPECT_EQ(own.front().serial, words_of_pem(text_of_file("rsa.pem")).front().serial);
  const auto trusted = words_of_authorities(**context);
  ASSERT_FALSE(trusted.empty());
  EXPECT_EQ(trusted.front().serial, words_of_pem(text_of_file("good.pem")).front().serial);
}

}  // namespace
}  // namespace headgate::net
