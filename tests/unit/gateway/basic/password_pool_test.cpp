// Passwords that are checked on other threads, and what comes back of them.

#include "headgate/gateway/basic/password_pool.hpp"

#include "gateway/basic/password_calls.hpp"

#include "headgate/core/scoped_task.hpp"
#include "headgate/gateway/delay.hpp"
#include "headgate/net/loop_clock.hpp"

#include <boost/asio/io_context.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace headgate::gateway::test {
namespace {

using std::chrono::seconds;
using Outcome = PasswordCalls::Outcome;

constexpr const char* kAnnsHash = "$2y$04$YsYHolJpTs2HZo6Be5aG9.dGzxgn9M2H5vDz1KHwGIu3BTQhGjyHm";
/// A check of it takes a quarter of a second and more.
constexpr const char* kDearHash = "$2y$12$YsYHolJpTs2HZo6Be5aG9.dGzxgn9M2H5vDz1KHwGIu3BTQhGjyHm";

class CheckedPasswords : public testing::Test {
 protected:
  struct Asked {
    Exchange x;
    std::optional<Outcome> outcome;
  };

  Asked& ask(std::string user, const std::string& password, std::string_view address = "192.0.2.7",
             Duration patience = PasswordCalls::kPatience) {
    auto& asked = asked_.emplace_back();
    asked.x.caller.ip_key = address;
    identity::BasicCredentials shown{.user = std::move(user), .password = identity::SecretText(password)};
    spawn(wait(asked, calls->question(asked.x, users, std::move(shown)), patience), "asked");
    return asked;
  }
  Task<void> wait(Asked& asked, PasswordQuestion question, Duration patience) {
    auto asking = calls->ask(asked.x, std::move(question), {}, patience);
    asked.outcome = co_await asking;
  }
  std::optional<bool> remembered(std::string user, const std::string& password,
                                 std::string_view address = "192.0.2.7") {
    Exchange x;
    x.caller.ip_key = address;
    return calls->remembered(
        calls->question(x, users, {.user = std::move(user), .password = identity::SecretText(password)}));
  }
  template <class Ready>
  bool run_until(Ready ready) {
    const auto end = std::chrono::steady_clock::now() + seconds(30);
    while (!ready() && std::chrono::steady_clock::now() < end) {
      loop.restart();
      loop.run_one_for(std::chrono::milliseconds(10));
    }
    return ready();
  }
  static void leave(Asked& asked) {
    asked.x.client_gone = true;
    asked.x.delay->end();
  }

  /// Ends those that still wait: their frames are the loop's.
  void TearDown() override {
    if (calls) calls->stop();
    EXPECT_TRUE(run_until([&] {
      return std::all_of(asked_.begin(), asked_.end(), [](const auto& each) { return each.outcome.has_value(); });
    }));
  }

  boost::asio::io_context loop;
  net::LoopClock clock{loop};
  identity::Users users{{{"ann", kAnnsHash}, {"dear", kDearHash}}};
  PasswordPool pool{clock, 1};
  std::unique_ptr<PasswordCalls> calls = std::make_unique<PasswordCalls>(clock, &pool);

 private:
  std::list<Asked> asked_;
};

TEST_F(CheckedPasswords, AreRightOrWrongAndRemembered) {
  const auto& right = ask("ann", "wonderland");
  const auto& wrong = ask("ann", "guess");
  const auto& unknown = ask("nobody", "wonderland");
  EXPECT_FALSE(right.outcome) << "not on this thread";
  ASSERT_TRUE(run_until([&] { return right.outcome && wrong.outcome && unknown.outcome; }));
  EXPECT_EQ(right.outcome, Outcome::right);
  EXPECT_EQ(wrong.outcome, Outcome::wrong);
  EXPECT_EQ(unknown.outcome, Outcome::wrong) << "whatever it was compared with";
  EXPECT_EQ(remembered("ann", "wonderland"), true);
  EXPECT_EQ(remembered("ann", "guess"), false);
  EXPECT_EQ(remembered("nobody", "wonderland"), false);
  EXPECT_EQ(remembered("ann", "another"), std::nullopt);
  EXPECT_EQ(pool.counts().checked, 3U);
}

TEST_F(CheckedPasswords, AreRememberedForTheAddressThatHasShownThem) {
  const auto& right = ask("ann", "wonderland");
  ASSERT_TRUE(run_until([&] { return right.outcome.has_value(); }));
  EXPECT_EQ(remembered("ann", "wonderland", "192.0.2.8"), std::nullopt) << "else anybody could guess at the memory";
}

TEST_F(CheckedPasswords, HavePriorityIfTheirAddressHasShownARightOne) {
  const auto& right = ask("ann", "wonderland");
  ASSERT_TRUE(run_until([&] { return right.outcome.has_value(); }));
  ask("dear", "first", "198.51.100.1");
  ASSERT_TRUE(run_until([&] { return pool.counts().waiting == 0; }));
  for (std::size_t i = 0; i < PasswordPool::kMaxWaiting; ++i) ask("dear", "guess", "2001:db8::" + std::to_string(i));
  const auto& stranger = ask("ann", "wonderland", "192.0.2.9");
  const auto& ben = ask("ben", "open sesame");
  ASSERT_TRUE(run_until([&] { return ben.outcome.has_value(); }));
  EXPECT_EQ(stranger.outcome, Outcome::unknown) << "there is no room for another line";
  EXPECT_EQ(ben.outcome, Outcome::wrong) << "it was checked, and before them";
  EXPECT_LE(pool.counts().checked, 4U);
}

TEST_F(CheckedPasswords, AreForgottenWithTheHashTheyWereRightFor) {
  const auto& right = ask("ann", "wonderland");
  ASSERT_TRUE(run_until([&] { return right.outcome.has_value(); }));
  users = identity::Users(std::vector<identity::User>{{"ann", kDearHash}});
  EXPECT_EQ(remembered("ann", "wonderland"), std::nullopt);
}

TEST_F(CheckedPasswords, AreCheckedOnceIfTheyAreEqual) {
  std::vector<const Asked*> all;
  for (int i = 0; i < 6; ++i) all.push_back(&ask("ann", "wonderland"));
  ASSERT_TRUE(run_until(
      [&] { return std::all_of(all.begin(), all.end(), [](const auto* each) { return each->outcome.has_value(); }); }));
  for (const auto* const each : all) EXPECT_EQ(each->outcome, Outcome::right);
  EXPECT_EQ(pool.counts().checked, 1U);
}

TEST_F(CheckedPasswords, OfAClientThatLeavesAreNotChecked) {
  ask("dear", "first");  // keeps the thread busy
  auto& second = ask("ann", "second");
  auto& third = ask("ann", "third");
  ASSERT_TRUE(run_until([&] { return pool.counts().waiting == 2; }));
  leave(second);
  ASSERT_TRUE(run_until([&] { return second.outcome.has_value(); }));
  EXPECT_EQ(second.outcome, Outcome::gone);
  ASSERT_TRUE(run_until([&] { return third.outcome.has_value(); }));
  EXPECT_EQ(pool.counts().checked, 2U);
  EXPECT_EQ(remembered("ann", "second"), std::nullopt);
}

TEST_F(CheckedPasswords, UnderWayAreRememberedAlthoughTheClientLeft) {
  auto& asked = ask("dear", "guess");
  ASSERT_TRUE(run_until([&] { return pool.counts().waiting == 0; }));
  leave(asked);
  ASSERT_TRUE(run_until([&] { return remembered("dear", "guess").has_value(); }));
  EXPECT_EQ(asked.outcome, Outcome::gone);
}

TEST_F(CheckedPasswords, OfOneAddressGiveWayToThoseOfOthers) {
  ask("dear", "first", "198.51.100.1");
  ASSERT_TRUE(run_until([&] { return pool.counts().waiting == 0; }));
  std::vector<Asked*> flood;
  for (std::size_t i = 0; i < PasswordPool::kMaxWaiting + 10; ++i)
    flood.push_back(&ask("ann", "guess " + std::to_string(i), "198.51.100.1"));
  EXPECT_EQ(pool.counts().waiting, PasswordPool::kMaxWaiting);
  const auto unknown = [&] {
    return std::count_if(flood.begin(), flood.end(),
                         [](const auto* each) { return each->outcome == Outcome::unknown; });
  };
  EXPECT_EQ(unknown(), 10) << "the flood itself has no more room";
  const auto& other = ask("ann", "wonderland", "192.0.2.7");
  ASSERT_TRUE(run_until([&] { return other.outcome.has_value(); }));
  EXPECT_EQ(other.outcome, Outcome::right);
  EXPECT_LE(pool.counts().checked, 128U) << "its turn comes before those of the flood that came first";
  EXPECT_EQ(unknown(), 11) << "the last of the flood made room";
  EXPECT_GT(pool.wait(), Duration(0));
}

TEST_F(CheckedPasswords, AreWaitedForNoLongerThanTheCallerDoes) {
  ask("dear", "first");
  ASSERT_TRUE(run_until([&] { return pool.counts().waiting == 0; }));
  const auto& late = ask("ann", "second", "192.0.2.7", std::chrono::milliseconds(1));
  ASSERT_TRUE(run_until([&] { return late.outcome.has_value(); }));
  EXPECT_EQ(late.outcome, Outcome::unknown);
  EXPECT_EQ(pool.counts().waiting, 0U) << "nobody wants to know any more";
}

TEST_F(CheckedPasswords, EndWithTheWorkerWhileTheyWait) {
  const auto& running = ask("dear", "first");
  ASSERT_TRUE(run_until([&] { return pool.counts().waiting == 0; }));
  const auto& waiting = ask("ann", "second");
  calls->stop();
  ASSERT_TRUE(run_until([&] { return running.outcome && waiting.outcome; }));
  EXPECT_EQ(running.outcome, Outcome::unknown);
  EXPECT_EQ(waiting.outcome, Outcome::unknown);
  EXPECT_EQ(pool.counts().waiting, 0U);
  const auto& later = ask("ann", "wonderland");
  ASSERT_TRUE(run_until([&] { return later.outcome.has_value(); }));
  EXPECT_EQ(later.outcome, Outcome::unknown);
  calls.reset();  // while the check is under way
}

}  // namespace
}  // namespace headgate::gateway::test
