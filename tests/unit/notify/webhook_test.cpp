// Webhooks as their receiver sees them, and when they are sent again.
#include "headgate/notify/webhook.hpp"

#include "openssl_signature.hpp"
#include "support/certificates.hpp"
#include "webhook_fixture.hpp"

namespace headgate::notify::test {
namespace {

class WebhookSends : public WebhookTest {
 protected:
  std::string timestamp() const {
    return std::to_string(std::chrono::floor<std::chrono::seconds>(clock.wall()).time_since_epoch().count());
  }
};

TEST_F(WebhookSends, RequestsAsStandardWebhooksSpecifiesThem) {
  start();
  webhook->send("ban-1", R"({"type":"suspended"})");
  EXPECT_EQ(webhook->counts().queued, 1U);
  ASSERT_TRUE(run_until_delivered(1));
  const auto& request = receiver.requests.at(0);
  EXPECT_THAT(
      request.head,
      testing::StartsWith("POST /in?key=hidden HTTP/1.1\r\nHost: 127.0.0.1:" + std::to_string(receiver.port) + "\r\n"));
  EXPECT_EQ(request.body, R"({"type":"suspended"})");
  EXPECT_EQ(request.field("Content-Type"), "application/json");
  EXPECT_EQ(request.field("Content-Length"), "20");
  EXPECT_EQ(request.field("User-Agent"), "headgate/" HEADGATE_VERSION);
  EXPECT_EQ(request.field("webhook-id"), "ban-1");
  EXPECT_EQ(request.field("webhook-timestamp"), timestamp());
  EXPECT_EQ(request.field("webhook-signature"),
            openssl_signature(secret, "ban-1." + timestamp() + R"(.{"type":"suspended"})"));
  EXPECT_EQ(webhook->counts().queued, 0U);
  EXPECT_EQ(log.str(), "");
}

TEST_F(WebhookSends, TheSignaturesOfAllSecretsWhileOneIsReplaced) {
  options.secrets = {secret, std::string(24, 'n')};
  start();
  webhook->send("ban-1", "{}");
  ASSERT_TRUE(run_until_delivered(1));
  const auto text = "ban-1." + timestamp() + ".{}";
  EXPECT_EQ(receiver.requests[0].field("webhook-signature"),
            openssl_signature(secret, text) + ' ' + openssl_signature(options.secrets[1], text));
}

TEST_F(WebhookSends, TheSameIdWithANewTimestampUntilTheServerIsBack) {
  receiver.leave();
  start();
  webhook->send("ban-1", "{}");
  ASSERT_TRUE(run_until_failed(1));
  EXPECT_EQ(logged("webhook_failed id=ban-1 reason=\"no connection can be opened: Connection refused\" attempt=1"), 1U);
  clock.advance(1s);
  ASSERT_TRUE(run_until_failed(2));
  receiver.come_back();
  receiver.answers(answer("503 Service Unavailable"));
  clock.advance(2s);
  ASSERT_TRUE(run_until_failed(3));
  EXPECT_EQ(logged("reason=\"it answered 503\" attempt=3 next_in_s="), 1U);
  receiver.answers(answer("200 OK"));
  clock.advance(4s);
  ASSERT_TRUE(run_until_delivered(1));
  ASSERT_EQ(receiver.requests.size(), 2U);
  const auto& first = receiver.requests[0];
  const auto& second = receiver.requests[1];
  EXPECT_EQ(second.field("webhook-id"), "ban-1");
  EXPECT_EQ(second.body, first.body);
  EXPECT_GT(second.field("webhook-timestamp"), first.field("webhook-timestamp"));
  EXPECT_EQ(second.field("webhook-signature"),
            openssl_signature(secret, "ban-1." + second.field("webhook-timestamp") + ".{}"));
  EXPECT_EQ(webhook->counts().retried, 3U);
  EXPECT_EQ(webhook->counts().failed, 0U);
}

TEST_F(WebhookSends, NothingBeforeItsPauseIsOver) {
  receiver.answers(answer("500 Internal Server Error"));
  start();
  webhook->send("ban-1", "{}");
  ASSERT_TRUE(run_until_failed(1));
  clock.advance(499ms);
  run_a_little();
  EXPECT_EQ(receiver.requests.size(), 1U);
  clock.advance(501ms);
  EXPECT_TRUE(run_until_received(2));
}

TEST_F(WebhookSends, NothingAtAllBeforeTheReceiverWantsIt) {
  receiver.answers(answer("429 Too Many Requests", "Retry-After: 30\r\n"));
  start();
  webhook->send("ban-1", "{}");
  ASSERT_TRUE(run_until_failed(1));
  EXPECT_EQ(logged("next_in_s=30"), 1U);
  webhook->send("ban-2", "{}");
  clock.advance(29s);
  run_a_little();
  EXPECT_EQ(receiver.requests.size(), 1U) << "also no other";
  receiver.answers(answer("204 No Content"));
  clock.advance(1s);
  EXPECT_TRUE(run_until_delivered(2));
}

TEST_F(WebhookSends, NothingAgainAfterARefusal) {
  for (const char* status : {"400 Bad Request", "410 Gone"}) {
    receiver.answers(answer(status));
    start();
    webhook->send("ban-1", "{}");
    ASSERT_TRUE(run_until([&] { return webhook->counts().failed == 1; })) << status;
    EXPECT_EQ(logged("webhook_failed: the receiver rejected the webhook, so it is not sent again id=ban-1 reason=\"it "
                     "answered " +
                     std::string(status, 3) + "\" attempt=1\n"),
              1U)
        << log.str();
    clock.advance(1h);
    run_a_little();
    EXPECT_EQ(webhook->counts().retried + webhook->counts().queued, 0U);
  }
}

TEST_F(WebhookSends, NothingToTheTargetOfARedirect) {
  receiver.answers(answer("302 Found", "Location: http://127.0.0.1:1/?key=hidden\r\n"));
  start();
  webhook->send("ban-1", "{}");
  ASSERT_TRUE(run_until_failed(1));
  EXPECT_EQ(logged("it answered 302, and redirects are not followed"), 1U);
}

TEST_F(WebhookSends, NothingAfterItsLastAttempt) {
  options.attempts = 3;
  receiver.answers(answer("503 Service Unavailable"));
  start();
  webhook->send("ban-1", "{}");
  for (std::size_t failures = 1; failures <= 3; ++failures) {
    ASSERT_TRUE(run_until_failed(failures));
    clock.advance(5min);
  }
  run_a_little();
  EXPECT_EQ(receiver.requests.size(), 3U);
  EXPECT_EQ(logged("webhook_failed: the last attempt failed, so it is not sent again id=ban-1 reason=\"it answered "
                   "503\" attempt=3\n"),
            1U)
      << log.str();
  const auto counts = webhook->counts();
  EXPECT_EQ(counts.failed, 1U);
  EXPECT_EQ(counts.retried, 2U);
  EXPECT_EQ(counts.delivered + counts.dropped + counts.queued, 0U);
}

TEST_F(WebhookSends, AFewAtTheSameTime) {
  start();
  for (int i = 0; i < 50; ++i) webhook->send("ban-" + std::to_string(i), "{}");
  ASSERT_TRUE(run_until_delivered_sometime(50)) << log.str();
  EXPECT_LE(receiver.most_open, Webhook::kMaxUnderWay);
  EXPECT_GT(receiver.most_open, 1U);
}

TEST_F(WebhookSends, WithTheOptionsOfTheLastReload) {
  receiver.answers(answer("503 Service Unavailable"));
  start();
  webhook->send("ban-1", "{}");
  ASSERT_TRUE(run_until_failed(1));
  Receiver other(loop);
  auto next = options;
  next.url.port = other.port;
  next.secrets = {std::string(24, 'n')};
  webhook->use(next);
  clock.advance(1s);
  ASSERT_TRUE(run_until_delivered(1));
  const auto& request = other.requests.at(0);
  EXPECT_EQ(request.field("webhook-signature"),
            openssl_signature(next.secrets[0], "ban-1." + request.field("webhook-timestamp") + ".{}"));
  run_a_little();
}

TEST_F(WebhookSends, NoIdThatWouldChangeTheHeadOrTheSignature) {
  start();
  for (const auto& id : {std::string(), std::string("a\r\nX: y"), std::string("a b"), std::string("a.b"),
                         std::string("\xc3\xa4"), std::string(129, 'a')})
    webhook->send(id, "{}");
  run_a_little();
  EXPECT_EQ(webhook->counts().dropped, 6U);
  EXPECT_TRUE(receiver.requests.empty());
  EXPECT_EQ(logged("webhook_dropped id=- reason=\"its id is not valid\""), 6U) << log.str();
}

TEST_F(WebhookSends, NothingFromItsSecretsOrItsUrlToTheLog) {
  receiver.answers(answer("503 Service Unavailable", "X-Echo: hidden\r\n"));
  start();
  webhook->send("ban-1", "{}");
  ASSERT_TRUE(run_until_failed(1));
  receiver.answers("hidden\r\n\r\n");
  clock.advance(1s);
  ASSERT_TRUE(run_until_failed(2));
  receiver.leave();
  clock.advance(2s);
  ASSERT_TRUE(run_until_failed(3));
  webhook->stop();
  ASSERT_TRUE(run_until([&] { return webhook->counts().queued == 0; }));
  EXPECT_THAT(log.str(), Not(HasSubstr("hidden")));
  EXPECT_THAT(log.str(), Not(HasSubstr(secret)));
}

class WebhookTrust : public WebhookTest {
 protected:
  void SetUp() override {
    if (!headgate::test::Certificates::possible()) GTEST_SKIP() << "no openssl on this machine";
    ASSERT_TRUE(files.make("server", "IP:127.0.0.1"));
    secure.emplace(loop, files.path("server.crt"), files.path("server.key"));
    options.url.scheme = net::Scheme::https;
    options.url.port = secure->port;
    options.ca = files.path("ca.crt");
  }
  headgate::test::Certificates files;
  std::optional<Receiver> secure;
};

TEST_F(WebhookTrust, IsInAReceiverThatTheAuthorityVouchesFor) {
  start();
  webhook->send("ban-1", "{}");
  ASSERT_TRUE(run_until_delivered(1)) << log.str();
  EXPECT_EQ(secure->requests.at(0).body, "{}");
}

TEST_F(WebhookTrust, IsInNobodyElse) {
  const headgate::test::Certificates others;
  options.ca = others.path("ca.crt");
  start();
  webhook->send("ban-1", "{}");
  ASSERT_TRUE(run_until_failed(1));
  EXPECT_EQ(logged("reason=\"its certificate is not trusted: "), 1U) << log.str();
  EXPECT_TRUE(secure->requests.empty());
}

TEST_F(WebhookTrust, FailsWithoutItsFileAndNotForEver) {
  options.ca = files.path("later.crt");
  start();
  webhook->send("ban-1", "{}");
  ASSERT_TRUE(run_until_failed(1));
  EXPECT_EQ(logged("later.crt: cannot be read: No such file or directory"), 1U) << log.str();
  std::filesystem::copy_file(files.path("ca.crt"), files.path("later.crt"));
  clock.advance(1s);
  EXPECT_TRUE(run_until_delivered(1)) << log.str();
}

}  // namespace
}  // namespace headgate::notify::test
