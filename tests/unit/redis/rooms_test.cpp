// Waiting rooms with a real Redis: over one server, Sentinels and a cluster the same call; many callers on two
// gateways.
#include "redis_fixture.hpp"

#include "headgate/room/line.hpp"
#include "headgate/room/wait.hpp"

#include <algorithm>
#include <deque>
#include <random>
#include <set>

namespace headgate::redis {
namespace {

using room::Ask;
using room::VisitorState;

class RoomsInRedis : public RedisLimiter {
 protected:
  void SetUp() override {
    RedisLimiter::SetUp();
    if (IsSkipped()) return;
    start();
    options.timeout = 5s;
  }
  struct Told {
    Result<room::Answer> result = room::Answer{};
    bool done = false;
  };
  static Task<void> ask_one(SharedLimiter& limiter, const room::RoomRule& rule, room::Question question, Told& told) {
    auto task = limiter.ask(rule, question);
    told.result = co_await task;
    told.done = true;
  }
  Result<room::Answer> ask(SharedLimiter& limiter, const room::Question& question) {
    Told told;
    spawn(ask_one(limiter, rule, question, told), "test");
    EXPECT_TRUE(run_until([&] { return told.done; }));
    return told.result;
  }
  room::RoomRule rule{.name = "sale", .count = 1, .period = 1h, .burst = 2, .grace = 60s, .stay = 600s};
};

TEST_F(RoomsInRedis, AreSharedByLimiters) {
  SharedLimiter one(loop, options);
  SharedLimiter two(loop, options);
  EXPECT_EQ(ask(one, {.ask = Ask::arrive})->place, VisitorState::inside);
  EXPECT_EQ(ask(two, {.ask = Ask::arrive})->place, VisitorState::inside);
  const auto third = ask(one, {.ask = Ask::arrive});
  EXPECT_EQ(third->place, VisitorState::waiting);
  EXPECT_EQ(third->number, 3);
  EXPECT_EQ(ask(two, {.ask = Ask::present, .number = 3})->place, VisitorState::waiting);
  EXPECT_EQ(ask(two, {})->next, 3);
  one.stop();
  two.stop();
  EXPECT_EQ(ask(two, {}).error(), Errc::stopped);
}

TEST_F(RoomsInRedis, AreAskedAgainWithTheScriptAfterItsLoss) {
  SharedLimiter limiter(loop, options);
  EXPECT_EQ(ask(limiter, {.ask = Ask::arrive})->number, 1);
  command({"SCRIPT", "FLUSH"});
  EXPECT_EQ(ask(limiter, {.ask = Ask::arrive})->number, 2);
  limiter.stop();
}

/// 100,000 callers come at once to two gateways, and ask again when room::Knowledge says that their turn is near. The
/// rate is such that all of them are in after some seconds. Real time, real Redis, one process.
TEST_F(RoomsInRedis, LetAHundredThousandCallersOfTwoGatewaysInInOrderOnceAndAtTheRate) {
  using Clock = std::chrono::steady_clock;
  constexpr int kCallers = 100'000;
  constexpr std::uint64_t kRate = 10'000;
  constexpr std::size_t kAtATime = 400;
  rule = {.name = "crowd", .count = kRate, .period = 1s, .burst = 2 * kRate, .grace = 120s, .stay = 600s};
  SharedLimiter one(loop, options);
  SharedLimiter two(loop, options);
  ASSERT_TRUE(run_until_up(one));
  ASSERT_TRUE(run_until_up(two));

  struct Gateway {
    SharedLimiter* limiter;
    room::Knowledge knowledge;
  };
  struct Caller {
    std::int64_t number = 0;  ///< 0: has not come yet
    std::size_t at = 0;       ///< the gateway that it asks next
    Clock::time_point again;
  };
  std::array<Gateway, 2> gateways{Gateway{&one, {}}, Gateway{&two, {}}};
  std::vector<Caller> callers(kCallers);
  std::deque<std::size_t> waiting;
  for (std::size_t i = 0; i < callers.size(); ++i) {
    callers[i].at = i % 2;
    waiting.push_back(i);
  }
  std::set<std::int64_t> admitted;
  std::vector<std::int64_t> admitted_at;  // milliseconds, by admission
  std::size_t under_way = 0;
  std::uint64_t asked = 0;
  std::uint64_t spared = 0;
  bool in_order = true;
  const auto begun = Clock::now();
  const auto visit = [&](std::size_t index) -> Task<void> {
    auto& caller = callers[index];
    auto& gateway = gateways[caller.at];
    caller.at = 1 - caller.at;  // a load balancer sends it anywhere
    room::Question question{.ask = caller.number > 0 ? Ask::present : Ask::arrive, .number = caller.number};
    question.next = std::max(gateway.knowledge.next(), question.number);
    question.serving = gateway.knowledge.serving();
    auto task = gateway.limiter->ask(rule, question);
    const auto answer = co_await task;
    --under_way;
    if (answer.has_error()) {
      waiting.push_back(index);
      co_return;
    }
    gateway.knowledge.heard(*answer, headgate::now());
    EXPECT_FALSE(answer->lost);
    EXPECT_TRUE(caller.number == 0 || answer->number == caller.number);
    caller.number = answer->number;
    if (answer->place == VisitorState::inside) {
      EXPECT_TRUE(admitted.insert(caller.number).second) << caller.number << " came in twice";
      in_order = in_order && caller.number <= answer->serving;
      admitted_at.push_back(std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - begun).count());
    } else {
      caller.again = Clock::now() + room::refresh_after(rule, gateway.knowledge.wait(rule, caller.number), index);
      waiting.push_back(index);
    }
  };
  while (admitted.size() < callers.size() && Clock::now() - begun < 100s) {
    for (std::size_t looked = 0; looked < 2'000 && under_way < kAtATime && !waiting.empty(); ++looked) {
      const auto index = waiting.front();
      waiting.pop_front();
      auto& caller = callers[index];
      if (caller.again > Clock::now()) {
        waiting.push_back(index);
        continue;
      }
      const auto& knowledge = gateways[caller.at].knowledge;
      if (caller.number > 0 && knowledge.is_far(rule, caller.number, headgate::now())) {
        ++spared;
        caller.again = Clock::now() + room::refresh_after(rule, knowledge.wait(rule, caller.number), index);
        waiting.push_back(index);
        continue;
      }
      ++under_way;
      ++asked;
      spawn(visit(index), "caller");
    }
    loop.poll();
    loop.restart();
    if (waiting.empty() && under_way == 0) break;
  }
  ASSERT_EQ(admitted.size(), callers.size());
  EXPECT_TRUE(in_order) << "nobody comes in before its number is called";
  EXPECT_EQ(*admitted.rbegin(), kCallers) << "each number was handed out once";
  // In any part of the time no more come in than the rate and what is kept for two seconds.
  for (std::size_t i = 0; i < admitted_at.size(); i += 997)
    EXPECT_LE(static_cast<std::int64_t>(i + 1), 2 * 10'000 + admitted_at[i] * 10 + 1'000) << admitted_at[i] << " ms";
  RecordProperty("calls", static_cast<int>(asked));
  EXPECT_LT(asked, 500'000U) << spared << " callers were told without a call";
  one.stop();
  two.stop();
}

}  // namespace
}  // namespace headgate::redis
