// The keys at the start of the process, and after a change of the configuration.
#include "keyring_fixture.hpp"
#include "publisher.hpp"

namespace headgate::keyring::test {
namespace {

class KeyringBeginning : public KeyringTest {
 protected:
  KeyringBeginning() {
    add_issuer().keys.jwks_url = publisher.url();
    publisher.answers(answer("200 OK", jwk_set({"one"}), "ETag: \"v1\"\r\n"));
  }
  identity::JwtKeySource& source() { return options.jwt->issuers[0].keys; }
  /// How long await_first() took.
  Duration wait(Duration most) {
    const auto start = std::chrono::steady_clock::now();
    keyring->await_first(most);
    return std::chrono::duration_cast<Duration>(std::chrono::steady_clock::now() - start);
  }

  Publisher publisher;
};

TEST_F(KeyringBeginning, AwaitsTheFirstFetchOfEveryUrl) {
  Publisher other;
  options.jwt->issuers[0].issuer = "first";
  auto& issuer = add_issuer();
  issuer.issuer = "second";
  issuer.keys.jwks_url = other.url();
  start();
  EXPECT_LT(wait(10s), 5s);
  EXPECT_TRUE(report(0).fresh);
  EXPECT_EQ(report(1).trouble, "it answered 404") << "which is no reason to wait for better";
  EXPECT_EQ(published.size(), 1U);
}

TEST_F(KeyringBeginning, AwaitsNoUrlForLongerThanItMay) {
  publisher.answers("");
  open();
  EXPECT_LT(wait(20ms), 5s);
  EXPECT_EQ(refusal("one"), "no_keys");
}

TEST_F(KeyringBeginning, AwaitsNothingIfNothingIsFetched) {
  options.jwt.reset();
  open();
  EXPECT_LT(wait(10s), 5s);
  EXPECT_FALSE(loop.stopped()) << "it is still to be run";
  EXPECT_EQ(keyring->now()->jwt, nullptr);
  EXPECT_NE(keyring->now()->api_keys, nullptr);
  EXPECT_TRUE(keyring->reports().empty());
}

TEST_F(KeyringBeginning, KeepsWhatTheOneBeforeHadFetched) {
  start();
  ASSERT_TRUE(run_fetches(2));
  const auto before = keyring;
  source().refresh = 7ms;
  open(before.get());
  before->stop();
  EXPECT_TRUE(believes("one"));
  EXPECT_EQ(report().keys, 1U);
  EXPECT_EQ(report().successes, before->reports().at(0).successes) << "a metric must not go backwards";
  EXPECT_LT(wait(0s), 5s);

  publisher.has_etag("\"v1\"");
  keyring->start([this](auto next) { published.push_back(std::move(next)); });
  ASSERT_TRUE(run_fetches(1));
  EXPECT_EQ(published.size(), 1U) << "nothing has changed since";
  EXPECT_THAT(publisher.requests().back(), HasSubstr("If-None-Match: \"v1\""));
}

TEST_F(KeyringBeginning, KeepsTheKeysOfAnIssuerThatMovesInTheList) {
  start();
  ASSERT_TRUE(run_fetches(1));
  const auto before = keyring;
  options.jwt->issuers[0].issuer = "one";
  auto& added = add_issuer();
  added.issuer = "added";
  added.keys.secret = secret("added");
  std::swap(options.jwt->issuers[0], options.jwt->issuers[1]);
  open(before.get());
  EXPECT_EQ(report().keys, 1U);
}

TEST_F(KeyringBeginning, KeepsNothingFromElsewhereNorFromWhomItNoLongerTrusts) {
  start();
  ASSERT_TRUE(run_fetches(1));
  const auto before = keyring;
  auto kept = source();
  source().jwks_url = publisher.url("/others");
  open(before.get());
  EXPECT_EQ(refusal("one"), "no_keys");
  source() = kept;
  source().jwks_ca = "/another/authority.pem";
  open(before.get());
  EXPECT_EQ(refusal("one"), "no_keys");
}

TEST_F(KeyringBeginning, KeepsOnlyKeysThatAreStillAllowed) {
  start();
  ASSERT_TRUE(run_fetches(1));
  const auto before = keyring;
  options.jwt->issuers[0].algorithms = {identity::JwtAlgorithm::RS256};
  open(before.get());
  EXPECT_EQ(report().keys, 0U);
  EXPECT_NE(refusal("one"), "");
}

}  // namespace
}  // namespace headgate::keyring::test
