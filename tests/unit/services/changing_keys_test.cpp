// Limits whose key changes with each request.

#include "headgate/services/changing_keys.hpp"

#include "headgate/observe/heavy_keys.hpp"

#include <gmock/gmock.h>

namespace headgate::services {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class ChangingKeysTest : public testing::Test {
 protected:
  /// `requests` in all, of which each key comes `each` times, sampled by chance and handed over every ten seconds.
  void traffic(std::size_t requests, std::size_t each, Duration within = std::chrono::minutes(1)) {
    const auto hands = static_cast<std::size_t>(within / Duration(std::chrono::seconds(10)));
    for (std::size_t hand = 0; hand < hands; ++hand) {
      observe::HeavyKeys sketch;
      for (std::size_t i = hand * requests / hands; i < (hand + 1) * requests / hands; ++i) {
        random = random * 6364136223846793005U + 1442695040888963407U;
        if (random >> 61U != 0) continue;
        const auto key = std::to_string(i % (requests / each));
        sketch.add(std::hash<std::string>()(key), key, observe::LimitTop::kSampled);
      }
      keys.add("plan", sketch.list(), now);
      now += std::chrono::seconds(10);
    }
  }

  std::uint64_t random = 7;
  ChangingKeys::Steady now{std::chrono::hours(1000)};
  ChangingKeys keys;
};

TEST_F(ChangingKeysTest, AreNoticedInThreeThousandRequests) {
  traffic(3'000, 1);
  now += std::chrono::minutes(2);
  EXPECT_THAT(keys.changing(now), ElementsAre("plan"));
}

TEST_F(ChangingKeysTest, AreNotThoseOfCallersThatComeTwice) {
  for (const std::size_t each : {2, 3, 10, 1'000}) {
    traffic(3'000, each);
    now += std::chrono::minutes(2);
    EXPECT_THAT(keys.changing(now), IsEmpty()) << each;
  }
}

TEST_F(ChangingKeysTest, AreNotNoticedInAFewRequests) {
  traffic(300, 1);
  now += std::chrono::minutes(2);
  EXPECT_THAT(keys.changing(now), IsEmpty());
}

TEST_F(ChangingKeysTest, AreForgottenWhenTheyStayTheSame) {
  traffic(3'000, 1);
  now += std::chrono::minutes(2);
  ASSERT_THAT(keys.changing(now), ElementsAre("plan"));
  traffic(3'000, 10);
  now += std::chrono::minutes(2);
  EXPECT_THAT(keys.changing(now), IsEmpty());
}

TEST_F(ChangingKeysTest, AreNoticedInAFloodOfMoreThanASketchHolds) {
  traffic(100'000, 1);
  now += std::chrono::minutes(2);
  EXPECT_THAT(keys.changing(now), ElementsAre("plan"));
  traffic(100'000, 100);
  now += std::chrono::minutes(2);
  EXPECT_THAT(keys.changing(now), IsEmpty());
}

}  // namespace
}  // namespace headgate::services
