// What a context of TLS is made from: files that fit together, and whether they have changed.
#include "headgate/net/tls/tls_context.hpp"

#include "support/certificates.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace headgate::net::test {
namespace {

using testing::HasSubstr;

class TlsFiles : public testing::Test {
 protected:
  void SetUp() override {
    if (!headgate::test::Certificates::possible()) GTEST_SKIP() << "no openssl on this machine";
    ASSERT_TRUE(files.make("one", "DNS:one"));
    ASSERT_TRUE(files.make("two", "DNS:two"));
    options.ca = files.path("ca.crt");
  }
  std::string wrong() const {
    const auto made = TlsContext::of_client(options);
    return made.has_error() ? made.error() : std::string();
  }
  headgate::test::Certificates files;
  TlsOptions options;
};

TEST_F(TlsFiles, AreSilentlyFineWhenTheyFitTogether) {
  EXPECT_EQ(wrong(), "");
  options.certificate = files.path("one.crt");
  options.key = files.path("one.key");
  EXPECT_EQ(wrong(), "");
  options.ca.clear();
  EXPECT_EQ(wrong(), "");
}

TEST_F(TlsFiles, AreNamedWhereTheyAreMissingOrHoldSomethingElse) {
  options.ca = "/no/such/ca.pem";
  EXPECT_EQ(wrong(), "cannot read the CA file \"/no/such/ca.pem\": No such file or directory");
  options.ca = files.path("one.key");
  EXPECT_EQ(wrong(), "the CA file \"" + options.ca + "\" holds no certificate in PEM");
  options.ca = files.path("ca.crt");
  options.certificate = files.path("one.crt");
  EXPECT_EQ(wrong(), "a certificate is given without its key");
  options.key = files.path("two.key");
  EXPECT_THAT(wrong(), HasSubstr("does not belong to the certificate"));
  options.key = files.path("two.crt");
  EXPECT_THAT(wrong(), HasSubstr("holds no key in PEM"));
  options.certificate.clear();
  EXPECT_EQ(wrong(), "a key is given without its certificate");
}

TEST_F(TlsFiles, AreComparedByWhatTheyHold) {
  options.certificate = files.path("one.crt");
  options.key = files.path("one.key");
  const auto before = *TlsContext::of_client(options);
  EXPECT_TRUE((*TlsContext::of_client(options))->same_files(*before));
  std::filesystem::last_write_time(options.ca, std::filesystem::file_time_type::clock::now());
  EXPECT_TRUE((*TlsContext::of_client(options))->same_files(*before)) << "only touched";
  ASSERT_TRUE(files.make("one", "DNS:one"));
  EXPECT_FALSE((*TlsContext::of_client(options))->same_files(*before)) << "another certificate under the same name";
  const auto renewed = *TlsContext::of_client(options);
  std::ofstream(options.ca, std::ios::app) << "# a comment\n";
  EXPECT_FALSE((*TlsContext::of_client(options))->same_files(*renewed));
}

TEST_F(TlsFiles, OfTheSystemAreComparedByTheTimeOfTheirChange) {
  options.ca.clear();
  ::setenv("SSL_CERT_FILE", files.path("ca.crt").c_str(), 1);
  const auto before = *TlsContext::of_client(options);
  EXPECT_TRUE((*TlsContext::of_client(options))->same_files(*before));
  std::filesystem::last_write_time(files.path("ca.crt"),
                                   std::filesystem::file_time_type::clock::now() + std::chrono::seconds(5));
  EXPECT_FALSE((*TlsContext::of_client(options))->same_files(*before));
  ::unsetenv("SSL_CERT_FILE");
}

}  // namespace
}  // namespace headgate::net::test
