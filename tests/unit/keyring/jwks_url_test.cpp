// Keys from the URL of an issuer: fetched, refreshed, and kept whatever happens to the server.
#include "keyring_fixture.hpp"
#include "publisher.hpp"

#include <thread>

namespace headgate::keyring::test {
namespace {

class KeyringJwksUrl : public KeyringTest {
 protected:
  KeyringJwksUrl() { add_issuer().keys.jwks_url = publisher.url(); }

  identity::JwtKeySource& source() { return options.jwt->issuers[0].keys; }
  void publish(const std::vector<std::string>& names, std::string_view fields = "") {
    publisher.answers(answer("200 OK", jwk_set(names), fields));
  }

  Publisher publisher;
};

TEST_F(KeyringJwksUrl, IsAskedForAsItsServerMayExpect) {
  publish({"one"});
  start();
  ASSERT_TRUE(run_fetches(1));
  const auto head = publisher.requests().at(0);
  EXPECT_THAT(head, testing::StartsWith("GET /keys HTTP/1.1\r\n"));
  EXPECT_THAT(head, HasSubstr("\r\nHost: 127.0.0.1:" + std::to_string(publisher.port()) + "\r\n"));
  EXPECT_THAT(head, HasSubstr("\r\nUser-Agent: headgate/"));
  EXPECT_THAT(head, HasSubstr("\r\nAccept: application/jwk-set+json, application/json\r\n"));
}

TEST_F(KeyringJwksUrl, IsUsedAfterItIsFetchedAndNotBefore) {
  publish({"one"});
  start();
  EXPECT_EQ(refusal("one"), "no_keys");
  EXPECT_FALSE(report().fresh);
  ASSERT_TRUE(run_until([&] { return !published.empty(); }));
  EXPECT_EQ(published.back(), keyring->now());
  EXPECT_TRUE(believes("one"));
  EXPECT_EQ(refusal("two"), "unknown_key");
  EXPECT_EQ(logged("jwks_fetched source=" + publisher.url() + " in_force=1"), 1U);
}

TEST_F(KeyringJwksUrl, IsFollowedWhenItsKeysRotate) {
  publish({"one"});
  start();
  ASSERT_TRUE(run_until([&] { return !published.empty(); }));
  publish({"one", "two"});
  EXPECT_TRUE(run_until([&] { return believes("one") && believes("two"); }));
  EXPECT_EQ(report().keys, 2U);
  publish({"two"});
  EXPECT_TRUE(run_until([&] { return !believes("one") && believes("two"); }));
  EXPECT_EQ(published.size(), 3U);
}

TEST_F(KeyringJwksUrl, ChangesNothingIfItSaysTheSameAgain) {
  publish({"one"});
  start();
  ASSERT_TRUE(run_fetches(5));
  EXPECT_EQ(published.size(), 1U) << "or every worker would forget the tokens it has verified";
  EXPECT_EQ(logged("[test] "), 1U);
}

TEST_F(KeyringJwksUrl, IsNotSentAgainWhereItsServerKnowsItUnchanged) {
  publish({"one"}, "ETag: \"v1\"\r\n");
  publisher.has_etag("\"v1\"");
  start();
  ASSERT_TRUE(run_fetches(4));
  EXPECT_EQ(published.size(), 1U);
  EXPECT_TRUE(believes("one"));
  EXPECT_THAT(publisher.requests().at(0), Not(HasSubstr("If-None-Match")));
  EXPECT_THAT(publisher.requests().at(1), HasSubstr("\r\nIf-None-Match: \"v1\"\r\n"));
  publisher.has_etag("\"v2\"");
  publish({"two"}, "ETag: \"v2\"\r\n");
  EXPECT_TRUE(run_until([&] { return believes("two"); }));
}

TEST_F(KeyringJwksUrl, MayBeOfManyPartsAndComeAfterAnInterimAnswer) {
  publisher.answers(
      "HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\nHTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
      "b;x=y\r\n{\"keys\": [ \r\n" +
      [](std::string rest) {
        std::ostringstream size;
        size << std::hex << rest.size();
        return size.str() + "\r\n" + rest + "\r\n0\r\n\r\n";
      }(jwk_set({"one"}).substr(9)));
  start();
  EXPECT_TRUE(run_until([&] { return !published.empty(); })) << report().trouble;
  EXPECT_TRUE(believes("one"));
}

TEST_F(KeyringJwksUrl, IsNotFetchedBeforeItsMaxAge) {
  publish({"one"}, "Cache-Control: public, max-age=3600\r\n");
  start();
  ASSERT_TRUE(run_fetches(1));
  loop.run_for(50ms);
  EXPECT_EQ(publisher.requests().size(), 1U) << "the configuration would have it fetched ten times by now";
}

TEST_F(KeyringJwksUrl, IsFetchedAgainOnceForAnUnknownKeyThatAnybodyAsksFor) {
  source().refresh = 1h;
  publish({"one"});
  start();
  ASSERT_TRUE(run_fetches(1));
  publish({"two"});
  std::thread worker([&] {
    for (int i = 0; i < 1000; ++i) keyring->want(0);
  });
  worker.join();
  keyring->want(1);  // whoever that is
  EXPECT_TRUE(run_until([&] { return believes("two"); }));
  loop.run_for(20ms);
  EXPECT_EQ(publisher.requests().size(), 2U);
}

TEST_F(KeyringJwksUrl, IsNotFetchedAgainForAnUnknownKeyBeforeItsTime) {
  source().refresh = source().refetch = 1h;
  publish({"one"});
  start();
  ASSERT_TRUE(run_fetches(1));
  keyring->want(0);
  loop.run_for(20ms);
  EXPECT_EQ(publisher.requests().size(), 1U);
}

TEST_F(KeyringJwksUrl, StaysActiveWhileItsServerFailsAndIsLoggedOnce) {
  publish({"one"});
  start();
  ASSERT_TRUE(run_fetches(1));
  publisher.answers(answer("503 Service Unavailable", ""));
  ASSERT_TRUE(run_until([&] { return report().failures >= 5; }));
  EXPECT_TRUE(believes("one"));
  EXPECT_EQ(published.size(), 1U);
  EXPECT_FALSE(report().fresh);
  EXPECT_EQ(report().trouble, "it answered 503");
  EXPECT_EQ(report().keys, 1U);
  EXPECT_EQ(logged("jwks_failed: the keys of 20"), 1U);
  publisher.answers(answer("401 Unauthorized", ""));
  EXPECT_TRUE(run_until([&] { return logged("it answered 401") == 1; })) << "another reason is news";
  publish({"one"});
  ASSERT_TRUE(run_fetches(1));
  EXPECT_TRUE(report().fresh);
  EXPECT_EQ(report().trouble, "");
  EXPECT_EQ(logged("jwks_failed"), 2U);
  EXPECT_EQ(logged("jwks_fetched"), 2U) << "and so is that it is over";
}

TEST_F(KeyringJwksUrl, DoesNotFillTheLogWhereItFailsInEverNewWays) {
  start();
  for (int status = 401; status < 421; ++status) {
    publisher.answers(answer(std::to_string(status) + " No", ""));
    ASSERT_TRUE(run_until([&] { return report().trouble == "it answered " + std::to_string(status); }));
  }
  EXPECT_EQ(logged("[test] "), 8U);
}

TEST_F(KeyringJwksUrl, IsAskedForAgainAfterItWasNotThereAtFirst) {
  start();
  ASSERT_TRUE(run_until_failed());
  EXPECT_EQ(logged("jwks_failed: none of its keys are in force yet source=" + publisher.url() +
                   " reason=\"it answered 404\""),
            1U);
  publish({"one"});
  EXPECT_TRUE(run_until([&] { return believes("one"); }));
}

TEST_F(KeyringJwksUrl, IsRefusedIfTheAnswerIsNotAWholeJwkSet) {
  const std::vector<std::pair<std::string, std::string>> all = {
      {"", "not done within 40ms: still waiting for its answer"},
      {"HTTP/1.1 200 OK\r\nContent-Length: 90\r\n\r\n{", "it closed the connection in the middle of its answer"},
      {"SSH-2.0-OpenSSH\r\n", "its answer cannot be read: bad version"},
      {answer("200 OK", "<html>"), "its answer cannot be used: "},
      {answer("200 OK", R"({"keys":[]})"), "its answer cannot be used: "},
      {answer("200 OK", std::string(1024UL * 1024 + 1, ' ')), "its answer has more than 1MiB"},
      {answer("200 OK", "", "X: " + std::string(17UL * 1024, 'x') + "\r\n"),
       "the head of its answer has more than 16KiB"},
      {answer("204 No Content", ""), "it answered 204"},
      {answer("304 Not Modified", ""), "it answered 304"},
      {answer("302 Found", "", "Location: https://elsewhere.example/keys\r\n"),
       "it redirects to https://elsewhere.example/keys, and redirects are not followed; if the keys are there, "
       "configure "
       "that URL"},
  };
  for (const auto& [text, reason] : all) {
    source().fetch_timeout = text.empty() ? 40ms : 5s;
    publisher.answers(text);
    start();
    ASSERT_TRUE(run_until_failed());
    EXPECT_THAT(report().trouble, testing::StartsWith(reason));
    EXPECT_EQ(refusal("one"), "no_keys");
    keyring->stop();
  }
  EXPECT_TRUE(published.empty());
}

TEST_F(KeyringJwksUrl, FailsIfNobodyListens) {
  source().jwks_url = "http://127.0.0.1:1/keys";
  start();
  ASSERT_TRUE(run_until_failed());
  EXPECT_EQ(report().source, "jwks http://127.0.0.1:1/keys");
  EXPECT_EQ(report().trouble, "no connection can be opened: Connection refused");
}

TEST_F(KeyringJwksUrl, MayNameItsServer) {
  source().jwks_url = "http://localhost:" + std::to_string(publisher.port()) + "/keys";
  publish({"one"});
  start();
  EXPECT_TRUE(run_until([&] { return believes("one"); })) << report().trouble;
}

TEST_F(KeyringJwksUrl, AddsToTheKeysOfTheConfigurationItself) {
  source().secret = secret("own");
  publish({"one"});
  start();
  EXPECT_TRUE(believes("own")) << "even before it is fetched";
  EXPECT_TRUE(run_until([&] { return believes("one"); }));
  EXPECT_TRUE(believes("own"));
}

TEST_F(KeyringJwksUrl, IsRefusedAtTheStartIfItIsNotAUrl) {
  source().jwks_url = "login.example.com/keys";
  EXPECT_THAT(why_not_open(), HasSubstr("is not a URL"));
}

TEST_F(KeyringJwksUrl, PublishesNothingOnceItIsStopped) {
  publish({"one"});
  start();
  keyring->stop();
  keyring->want(0);
  loop.run_for(20ms);
  EXPECT_TRUE(published.empty());
  EXPECT_EQ(report().successes + report().failures, 0U);
}

TEST_F(KeyringJwksUrl, MayBeDestroyedDuringAFetch) {
  publisher.answers("");
  start();
  ASSERT_TRUE(run_until([&] { return !publisher.requests().empty(); }));
  keyring.reset();
  loop.run_for(20ms);
  EXPECT_TRUE(published.empty());
}

}  // namespace
}  // namespace headgate::keyring::test
