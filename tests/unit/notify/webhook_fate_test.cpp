// Who sends a webhook is told how it ended: once, whatever happened.
#include "webhook_fixture.hpp"

#include <map>
#include <utility>
#include <vector>

namespace headgate::notify::test {
namespace {

using testing::ElementsAre;
using testing::Pair;

class WebhookFate : public WebhookTest {
 protected:
  ~WebhookFate() override { webhook.reset(); }  // it tells the rest here
  void send(const std::string& id) {
    webhook->send(id, "{}", [this, id](Fate fate) { fates.emplace_back(id, fate); });
  }
  bool run_until_told(std::size_t count) {
    return run_until([&] {
      clock.advance(1s);
      return fates.size() >= count;
    });
  }
  std::vector<std::pair<std::string, Fate>> fates;
};

TEST_F(WebhookFate, IsToldOfADelivery) {
  start();
  send("a");
  EXPECT_TRUE(fates.empty());
  ASSERT_TRUE(run_until_told(1));
  EXPECT_THAT(fates, ElementsAre(Pair("a", Fate::delivered)));
}

TEST_F(WebhookFate, IsToldOfARefusalAndOfTheLastAttemptAlone) {
  options.attempts = 3;
  start();
  receiver.answers(answer("410 Gone"));
  send("a");
  ASSERT_TRUE(run_until_told(1));
  receiver.answers(answer("503 Service Unavailable"));
  send("b");
  ASSERT_TRUE(run_until_told(2));
  run_a_little();
  EXPECT_THAT(fates, ElementsAre(Pair("a", Fate::refused), Pair("b", Fate::given_up)));
  EXPECT_EQ(receiver.requests.size(), 4U);
}

TEST_F(WebhookFate, IsToldOfThoseThatAFullQueueDrops) {
  receiver.answers("", Receiver::After::silence);
  start();
  for (std::size_t i = 0; i < Webhook::kMaxUnderWay + Webhook::kMaxWaiting + 1; ++i) send(std::to_string(i));
  EXPECT_THAT(fates, ElementsAre(Pair(std::to_string(Webhook::kMaxUnderWay), Fate::dropped)));
}

TEST_F(WebhookFate, IsToldAtTheEndOfAllThatIsLeft) {
  receiver.answers("", Receiver::After::silence);
  start();
  for (int i = 0; i < 10; ++i) send(std::to_string(i));
  run_a_little();
  webhook.reset();
  ASSERT_EQ(fates.size(), 10U);
  std::map<std::string, int> times;
  for (const auto& [id, fate] : fates) {
    EXPECT_EQ(fate, Fate::dropped);
    EXPECT_EQ(++times[id], 1);
  }
}

TEST_F(WebhookFate, MayBeFollowedByAnotherWebhook) {
  receiver.answers("", Receiver::After::silence);
  start();
  webhook->send("a", "{}", [this](Fate) { send("b"); });
  run_a_little();
  webhook->stop();
  clock.advance(Webhook::kLastTime);
  EXPECT_THAT(fates, ElementsAre(Pair("b", Fate::dropped)));
}

}  // namespace
}  // namespace headgate::notify::test
