#include "headgate/admin/token_guesses.hpp"

#include <gtest/gtest.h>

namespace headgate::admin {
namespace {

using namespace std::chrono_literals;
using boost::asio::ip::make_address;

struct TokenGuessesTest : testing::Test {
  TokenGuesses guesses;
  TokenGuesses::Moment now{1h};
  const boost::asio::ip::address stranger = make_address("203.0.113.9");
};

TEST_F(TokenGuessesTest, TenAreLookedAtAndThenOneInSixSeconds) {
  for (int i = 0; i < 9; ++i) EXPECT_FALSE(guesses.wrong(stranger, now)) << i;
  EXPECT_EQ(guesses.wait(stranger, now), 0s);
  EXPECT_TRUE(guesses.wrong(stranger, now)) << "the last one for now";
  EXPECT_EQ(guesses.wait(stranger, now), 6s);
  now += 5500ms;
  EXPECT_EQ(guesses.wait(stranger, now), 1s);
  now += 500ms;
  EXPECT_EQ(guesses.wait(stranger, now), 0s) << "what was told is true";
  EXPECT_TRUE(guesses.wrong(stranger, now));
  EXPECT_EQ(guesses.wait(stranger, now), 6s);
}

TEST_F(TokenGuessesTest, ATryThatWasNotLookedAtMakesNobodyWaitLonger) {
  for (int i = 0; i < 100; ++i) guesses.wrong(stranger, now);
  EXPECT_EQ(guesses.wait(stranger, now), 6s);
}

TEST_F(TokenGuessesTest, OthersNoticeNothingAndABlockIsOneAddress) {
  for (int i = 0; i < 10; ++i) guesses.wrong(make_address("2001:db8::" + std::to_string(i + 1)), now);
  EXPECT_EQ(guesses.wait(make_address("2001:db8::ffff"), now), 6s);
  EXPECT_EQ(guesses.wait(make_address("2001:db8:0:1::1"), now), 0s);
  EXPECT_EQ(guesses.wait(stranger, now), 0s);
}

TEST_F(TokenGuessesTest, ManyAddressesDoNotMakeOneForgotten) {
  for (int i = 0; i < 10; ++i) guesses.wrong(stranger, now);
  for (unsigned i = 0; i < 2 * TokenGuesses::kRemembered; ++i)
    guesses.wrong(boost::asio::ip::address_v4(0x0a000000U + i), now);
  EXPECT_EQ(guesses.wait(stranger, now), 6s) << "those that may try again soonest are forgotten first";
}

}  // namespace
}  // namespace headgate::admin
