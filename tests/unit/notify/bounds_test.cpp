// What a slow or hostile receiver can do, how much is kept for it, and how it ends.
#include "webhook_fixture.hpp"

namespace headgate::notify::test {
namespace {

class WebhookBounds : public WebhookTest {
 protected:
  void send(std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) webhook->send("ban-" + std::to_string(++sent), "{}");
  }
  std::size_t sent = 0;
};

TEST_F(WebhookBounds, EndAReceiverThatDoesNotAnswer) {
  options.timeout = 200ms;
  receiver.answers("", Receiver::After::silence);
  start();
  send(1);
  ASSERT_TRUE(run_until_failed(1));
  EXPECT_EQ(logged("reason=\"not done within 200ms: still waiting for its answer\" attempt=1"), 1U) << log.str();
  EXPECT_TRUE(run_until([&] { return receiver.open == 0; }));
}

TEST_F(WebhookBounds, TakeTheStatusOfAnAnswerThatDoesNotEnd) {
  options.timeout = 200ms;
  const std::string rest = "\r\nContent-Length: 100\r\n\r\n{";
  start();
  receiver.answers("HTTP/1.1 200 OK" + rest, Receiver::After::silence);
  send(1);
  EXPECT_TRUE(run_until_delivered_sometime(1)) << "it would do no good to send it again";
  receiver.answers("HTTP/1.1 410 Gone" + rest, Receiver::After::silence);
  send(1);
  EXPECT_TRUE(run_until([&] {
    clock.advance(1s);
    return logged("the receiver rejected the webhook") == 1;
  }));
  EXPECT_TRUE(run_until([&] { return receiver.open == 0; }));
  receiver.answers("HTTP/1.1 200 OK" + rest, Receiver::After::close);
  send(1);
  EXPECT_TRUE(run_until_delivered_sometime(2));
}

TEST_F(WebhookBounds, EndABodyThatIsTooLong) {
  start();
  for (const char* head : {"HTTP/1.1 200 OK\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 18446744073709551615\r\n\r\n",
                           "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nfffffffff\r\n"}) {
    receiver.answers(head, Receiver::After::flood);
    const auto before = webhook->counts().delivered;
    send(1);
    EXPECT_TRUE(run_until_delivered(before + 1)) << head << log.str();
    EXPECT_TRUE(run_until([&] { return receiver.open == 0; })) << "long before its timeout";
  }
}

TEST_F(WebhookBounds, FailOnAnswersThatAreNone) {
  const std::vector<std::pair<std::string, std::string>> all = {
      {"SSH-2.0-OpenSSH\r\n", "its answer cannot be read: "},
      {std::string(100, '\0'), "its answer cannot be read: "},
      {"", "it closed the connection without an answer"},
      {"HTTP/1.1 200 OK\r\nContent-", "it closed the connection in the middle of its answer"},
      {"HTTP/1.1 200 OK\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n", "its answer cannot be read: "},
      {"HTTP/1.1 200 OK\r\nX: " + std::string(20'000, 'x') + "\r\n\r\n", "the head of its answer has more than 16KiB"},
      {"HTTP/1.1 200 OK\r\n" + std::string(40'000, 'x'), "the head of its answer has more than 16KiB"},
  };
  for (const auto& [text, reason] : all) {
    log.str("");
    receiver.answers(text);
    start();
    send(1);
    ASSERT_TRUE(run_until_failed(1)) << reason;
    EXPECT_EQ(logged("reason=\"" + reason), 1U) << log.str();
    EXPECT_EQ(webhook->counts().delivered, 0U);
  }
}

TEST_F(WebhookBounds, FailOnInterimAnswersWithoutEnd) {
  std::string many;
  for (int i = 0; i < 100; ++i) many += "HTTP/1.1 103 Early Hints\r\n\r\n";
  receiver.answers(many, Receiver::After::silence);
  start();
  send(1);
  ASSERT_TRUE(run_until_failed(1));
  EXPECT_EQ(logged("it keeps sending interim answers"), 1U) << log.str();
}

TEST_F(WebhookBounds, DropTheOldestOfAFullQueue) {
  receiver.answers("", Receiver::After::silence);
  start();
  send(Webhook::kMaxUnderWay + Webhook::kMaxWaiting);
  EXPECT_EQ(webhook->counts().dropped, 0U);
  send(100);
  EXPECT_EQ(webhook->counts().dropped, 100U);
  EXPECT_EQ(webhook->counts().queued, Webhook::kMaxUnderWay + Webhook::kMaxWaiting);
  EXPECT_EQ(logged("webhook_dropped"), 6U) << "a full queue must not fill the log";
  EXPECT_EQ(logged("webhook_dropped id=ban-5 reason=\"the queue is full\"\n"), 1U);
  clock.advance(10s);
  send(1);
  EXPECT_EQ(logged("webhook_dropped id=ban-105 reason=\"the queue is full\" lines_left_out=94\n"), 1U) << log.str();
}

TEST_F(WebhookBounds, KeepTheLogShortWhileTheReceiverIsAway) {
  receiver.leave();
  start();
  send(100);
  ASSERT_TRUE(run_until([&] { return webhook->counts().queued == 100 && logged("webhook_failed") > 0; }));
  run_a_little();
  EXPECT_LE(logged("webhook_failed"), 6U);
}

TEST_F(WebhookBounds, ForgetWhatIsUnderWayWhenItIsDestroyed) {
  receiver.answers("", Receiver::After::silence);
  start();
  send(5);
  ASSERT_TRUE(run_until_received(4));
  webhook.reset();
  EXPECT_TRUE(run_until([&] { return receiver.open == 0; }));
  EXPECT_EQ(logged("webhook_dropped"), 5U);
}

class WebhookStop : public WebhookBounds {};

TEST_F(WebhookStop, SendsOnceMoreWhateverWaits) {
  receiver.answers(answer("503 Service Unavailable", "Retry-After: 300\r\n"));
  start();
  send(6);
  ASSERT_TRUE(run_until([&] { return logged("webhook_failed") >= 4; }));
  receiver.answers(answer("200 OK"));
  webhook->stop();
  EXPECT_TRUE(run_until_delivered(6));
  EXPECT_EQ(webhook->counts().dropped, 0U);
  EXPECT_EQ(clock.armed(), 0U) << "nothing keeps the loop busy";
}

TEST_F(WebhookStop, DropsWhatFailsOnceMoreAndNamesIt) {
  receiver.answers(answer("503 Service Unavailable"));
  start();
  send(10);
  ASSERT_TRUE(run_until_failed(4));
  const auto before = receiver.requests.size();
  webhook->stop();
  ASSERT_TRUE(run_until([&] { return webhook->counts().queued == 0; }));
  EXPECT_EQ(webhook->counts().dropped, 10U);
  EXPECT_LE(receiver.requests.size(), before + 10);
  for (int i = 1; i <= 10; ++i) EXPECT_EQ(logged("webhook_dropped id=ban-" + std::to_string(i) + ' '), 1U) << log.str();
  EXPECT_EQ(logged("reason=\"headgate is shutting down, and the last attempt failed: it answered 503\""), 10U);
}

TEST_F(WebhookStop, LastsTwoSecondsAtMost) {
  receiver.answers("", Receiver::After::silence);
  start();
  send(20);
  ASSERT_TRUE(run_until_received(4));
  webhook->stop();
  clock.advance(1999ms);
  run_a_little();
  EXPECT_EQ(webhook->counts().queued, 20U);
  clock.advance(1ms);
  EXPECT_EQ(webhook->counts().queued, 0U);
  EXPECT_EQ(webhook->counts().dropped, 20U);
  EXPECT_EQ(logged("webhook_dropped id=ban-20 reason=\"headgate is shutting down\"\n"), 1U) << log.str();
  EXPECT_EQ(clock.armed(), 0U);
  EXPECT_TRUE(run_until([&] { return receiver.open == 0; }));
}

TEST_F(WebhookStop, SendsWhatComesMeanwhileAndDropsWhatComesLater) {
  start();
  webhook->stop();
  webhook->stop();
  clock.advance(1s);
  send(1);
  EXPECT_TRUE(run_until_delivered(1));
  clock.advance(1s);
  send(1);
  EXPECT_EQ(webhook->counts().dropped, 1U);
  EXPECT_EQ(clock.armed(), 0U);
}

TEST_F(WebhookStop, LetsTheLoopEnd) {
  receiver.leave();
  start();
  send(3);
  ASSERT_TRUE(run_until_failed(3));
  webhook->stop();
  ASSERT_TRUE(run_until([&] { return webhook->counts().queued == 0; }));
  loop.restart();
  const auto begun = std::chrono::steady_clock::now();
  loop.run();
  EXPECT_LT(std::chrono::steady_clock::now() - begun, 1s);
}

}  // namespace
}  // namespace headgate::notify::test
