#include "headgate/identity/token_memory.hpp"

#include <gtest/gtest.h>

#include <string>

namespace headgate::identity {
namespace {

using std::chrono::microseconds;
using std::chrono::seconds;

constexpr Instant kNow{seconds(1'800'000'000)};

VerifiedToken good(const std::string& sub, Instant from = kNow - seconds(60), Instant until = kNow + seconds(60)) {
  return {{{"sub", sub}}, from, until};
}
RefusedToken bad(JwtError error = JwtError::bad_signature, Instant until = Instant::max()) { return {error, until}; }

/// "": not known; else the subject of a good token, or the reason why it is none.
std::string recalled(TokenMemory& memory, std::string_view token, Instant now = kNow) {
  const auto known = memory.recall(token, now);
  if (!known) return "";
  if (known->token) return known->refused ? "both" : known->token->claims.at("sub");
  return known->refused ? std::string(to_text(known->refused->error)) : "neither";
}

TEST(TokenMemory, KnowsWhatItWasTold) {
  TokenMemory memory(10);
  EXPECT_EQ(recalled(memory, "a.b.c"), "");
  const auto kept = memory.remember("a.b.c", good("ann"));
  memory.remember("x.y.z", bad());
  EXPECT_EQ(kept->claims.at("sub"), "ann");
  EXPECT_EQ(memory.recall("a.b.c", kNow)->token, kept);
  EXPECT_EQ(recalled(memory, "a.b.c"), "ann");
  EXPECT_EQ(recalled(memory, "x.y.z"), "bad_signature");
}

TEST(TokenMemory, KnowsATokenByAllItsBytes) {
  TokenMemory memory(10);
  const std::string token = std::string(500, 't') + '\0' + "end";
  memory.remember(token, good("ann"));
  EXPECT_EQ(recalled(memory, token), "ann");
  for (const std::size_t at : {std::size_t{0}, std::size_t{250}, token.size() - 1}) {
    auto other = token;
    other[at] = 'u';
    EXPECT_EQ(recalled(memory, other), "") << at;
  }
  EXPECT_EQ(recalled(memory, token + 't'), "");
  EXPECT_EQ(recalled(memory, std::string_view(token).substr(1)), "");
  EXPECT_EQ(recalled(memory, ""), "");
}

TEST(TokenMemory, KeepsItsOwnCopyOfTheBytes) {
  TokenMemory memory(10);
  std::string token(100, 't');
  memory.remember(token, good("ann"));
  token.assign(100, 'u');
  EXPECT_EQ(recalled(memory, std::string(100, 't')), "ann");
  EXPECT_EQ(recalled(memory, token), "");
}

TEST(TokenMemory, ForgetsAGoodTokenWhenItEnds) {
  TokenMemory memory(10);
  memory.remember("t", good("ann"));
  EXPECT_EQ(recalled(memory, "t", kNow + seconds(60) - microseconds(1)), "ann");
  EXPECT_EQ(recalled(memory, "t", kNow + seconds(60)), "");
  EXPECT_EQ(recalled(memory, "t"), "") << "for good, even on a clock set back";
}

TEST(TokenMemory, DoesNotBelieveATokenBeforeItBegins) {
  TokenMemory memory(10);
  memory.remember("t", good("ann"));
  EXPECT_EQ(recalled(memory, "t", kNow - seconds(60)), "ann");
  EXPECT_EQ(recalled(memory, "t", kNow - seconds(60) - microseconds(1)), "") << "a clock set back";
  EXPECT_EQ(recalled(memory, "t"), "ann");
}

TEST(TokenMemory, ForgetsARefusalWhenItMayNoLongerHold) {
  TokenMemory memory(10);
  memory.remember("t", bad(JwtError::not_yet_valid, kNow + seconds(5)));
  EXPECT_EQ(recalled(memory, "t", kNow + seconds(5) - microseconds(1)), "not_yet_valid");
  EXPECT_EQ(recalled(memory, "t", kNow + seconds(5)), "");
}

TEST(TokenMemory, TakesTheLatestFindingOnly) {
  TokenMemory memory(10);
  memory.remember("t", bad(JwtError::not_yet_valid));
  memory.remember("t", good("ann"));
  EXPECT_EQ(recalled(memory, "t"), "ann");
  memory.remember("t", good("bob"));
  EXPECT_EQ(recalled(memory, "t"), "bob");
  memory.remember("t", bad(JwtError::expired));
  EXPECT_EQ(recalled(memory, "t"), "expired");
}

TEST(TokenMemory, LetsTheLeastRecentlyUsedGo) {
  TokenMemory memory(3);
  for (const auto* token : {"a", "b", "c"}) memory.remember(token, good(token));
  EXPECT_EQ(recalled(memory, "a"), "a");
  memory.remember("d", good("d"));
  EXPECT_EQ(recalled(memory, "b"), "");
  for (const auto* token : {"a", "c", "d"}) EXPECT_EQ(recalled(memory, token), token);
}

TEST(TokenMemory, KeepsRoomForGoodTokensInAFloodOfBadOnes) {
  TokenMemory memory(3);
  for (const auto* token : {"a", "b", "c"}) memory.remember(token, good(token));
  for (int i = 0; i < 1000; ++i) memory.remember("bad" + std::to_string(i), bad());
  for (const auto* token : {"a", "b", "c"}) EXPECT_EQ(recalled(memory, token), token);
  EXPECT_EQ(recalled(memory, "bad999"), "bad_signature");
  EXPECT_EQ(recalled(memory, "bad996"), "");
}

TEST(TokenMemory, BoundsTheBytesOfLongTokens) {
  TokenMemory memory(16);
  const auto token = [](int i) { return std::string(7000, 't') + std::to_string(i); };
  for (int i = 0; i < 16; ++i) memory.remember(token(i), bad());
  int known = 0;
  for (int i = 0; i < 16; ++i) known += recalled(memory, token(i)).empty() ? 0 : 1;
  EXPECT_EQ(known, 2) << "16 KiB hold two of 7 KiB";
  EXPECT_EQ(recalled(memory, token(15)), "bad_signature") << "the latest";
}

TEST(TokenMemory, BoundsTheBytesOfManyClaims) {
  TokenMemory memory(4);
  for (int i = 0; i < 4; ++i) {
    auto verified = good("ann");
    for (int claim = 0; claim < 40; ++claim) verified.claims.emplace("claim" + std::to_string(claim), "1");
    memory.remember("t" + std::to_string(i), std::move(verified));
  }
  EXPECT_EQ(recalled(memory, "t0"), "");
  EXPECT_EQ(recalled(memory, "t3"), "ann");
}

TEST(TokenMemory, DoesNotKeepWhatIsTooLarge) {
  TokenMemory memory(10);
  memory.remember("t", bad(JwtError::too_large));
  EXPECT_EQ(recalled(memory, "t"), "");
}

TEST(TokenMemory, MayBeOff) {
  TokenMemory memory(0);
  const auto kept = memory.remember("t", good("ann"));
  EXPECT_EQ(kept->claims.at("sub"), "ann");
  memory.remember("u", bad());
  EXPECT_EQ(recalled(memory, "t"), "");
  EXPECT_EQ(recalled(memory, "u"), "");
}

TEST(TokenMemory, ForgetsEverythingOfOtherKeys) {
  TokenMemory memory(10);
  const auto kept = memory.remember("t", good("ann"));
  memory.remember("u", bad());
  memory.clear();
  EXPECT_EQ(recalled(memory, "t"), "");
  EXPECT_EQ(recalled(memory, "u"), "");
  EXPECT_EQ(kept->claims.at("sub"), "ann") << "whoever serves a request of it has it still";
  memory.remember("t", good("bob"));
  EXPECT_EQ(recalled(memory, "t"), "bob");
}

}  // namespace
}  // namespace headgate::identity
