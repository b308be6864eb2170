#include "headgate/identity/token_cache.hpp"

#include <gtest/gtest.h>

#include <string>

namespace headgate::identity {
namespace {

using std::chrono::microseconds;
using std::chrono::seconds;

constexpr Instant kMoment{seconds(1'800'000'000)};

VerifiedToken good(const std::string& sub, Instant from = kMoment - seconds(60),
                   Instant until = kMoment + seconds(60)) {
  return {{{"sub", sub}}, from, until};
}
RefusedToken bad(JwtError error = JwtError::bad_signature, Instant until = Instant::max()) { return {error, until}; }

/// "": not cached; else the subject of a valid token, or the reason of the refusal.
std::string recalled(TokenCache& memory, std::string_view token, Instant now = kMoment) {
  const auto known = memory.get(token, now);
  if (!known) return "";
  if (known->token) return known->refused ? "both" : known->token->claims.at("sub");
  return known->refused ? std::string(to_text(known->refused->error)) : "neither";
}

TEST(TokenCache, ReturnsWhatWasPut) {
  TokenCache memory(10);
  EXPECT_EQ(recalled(memory, "a.b.c"), "");
  const auto kept = memory.put("a.b.c", good("ann"));
  memory.put("x.y.z", bad());
  EXPECT_EQ(kept->claims.at("sub"), "ann");
  EXPECT_EQ(memory.get("a.b.c", kMoment)->token, kept);
  EXPECT_EQ(recalled(memory, "a.b.c"), "ann");
  EXPECT_EQ(recalled(memory, "x.y.z"), "bad_signature");
}

TEST(TokenCache, KnowsATokenByAllItsBytes) {
  TokenCache memory(10);
  const std::string token = std::string(500, 't') + '\0' + "end";
  memory.put(token, good("ann"));
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

TEST(TokenCache, KeepsItsOwnCopyOfTheBytes) {
  TokenCache memory(10);
  std::string token(100, 't');
  memory.put(token, good("ann"));
  token.assign(100, 'u');
  EXPECT_EQ(recalled(memory, std::string(100, 't')), "ann");
  EXPECT_EQ(recalled(memory, token), "");
}

TEST(TokenCache, ForgetsAGoodTokenWhenItEnds) {
  TokenCache memory(10);
  memory.put("t", good("ann"));
  EXPECT_EQ(recalled(memory, "t", kMoment + seconds(60) - microseconds(1)), "ann");
  EXPECT_EQ(recalled(memory, "t", kMoment + seconds(60)), "");
  EXPECT_EQ(recalled(memory, "t"), "") << "for good, even on a clock set back";
}

TEST(TokenCache, DoesNotReturnATokenBeforeItIsValid) {
  TokenCache memory(10);
  memory.put("t", good("ann"));
  EXPECT_EQ(recalled(memory, "t", kMoment - seconds(60)), "ann");
  EXPECT_EQ(recalled(memory, "t", kMoment - seconds(60) - microseconds(1)), "") << "a clock set back";
  EXPECT_EQ(recalled(memory, "t"), "ann");
}

TEST(TokenCache, DropsARefusalThatMayHaveEnded) {
  TokenCache memory(10);
  memory.put("t", bad(JwtError::not_yet_valid, kMoment + seconds(5)));
  EXPECT_EQ(recalled(memory, "t", kMoment + seconds(5) - microseconds(1)), "not_yet_valid");
  EXPECT_EQ(recalled(memory, "t", kMoment + seconds(5)), "");
}

TEST(TokenCache, TakesTheLatestFindingOnly) {
  TokenCache memory(10);
  memory.put("t", bad(JwtError::not_yet_valid));
  memory.put("t", good("ann"));
  EXPECT_EQ(recalled(memory, "t"), "ann");
  memory.put("t", good("bob"));
  EXPECT_EQ(recalled(memory, "t"), "bob");
  memory.put("t", bad(JwtError::expired));
  EXPECT_EQ(recalled(memory, "t"), "expired");
}

TEST(TokenCache, LetsTheLeastRecentlyUsedGo) {
  TokenCache memory(3);
  for (const auto* token : {"a", "b", "c"}) memory.put(token, good(token));
  EXPECT_EQ(recalled(memory, "a"), "a");
  memory.put("d", good("d"));
  EXPECT_EQ(recalled(memory, "b"), "");
  for (const auto* token : {"a", "c", "d"}) EXPECT_EQ(recalled(memory, token), token);
}

TEST(TokenCache, KeepsRoomForGoodTokensInAFloodOfBadOnes) {
  TokenCache memory(3);
  for (const auto* token : {"a", "b", "c"}) memory.put(token, good(token));
  for (int i = 0; i < 1000; ++i) memory.put("bad" + std::to_string(i), bad());
  for (const auto* token : {"a", "b", "c"}) EXPECT_EQ(recalled(memory, token), token);
  EXPECT_EQ(recalled(memory, "bad999"), "bad_signature");
  EXPECT_EQ(recalled(memory, "bad996"), "");
}

TEST(TokenCache, BoundsTheBytesOfLongTokens) {
  TokenCache memory(16);
  const auto token = [](int i) { return std::string(7000, 't') + std::to_string(i); };
  for (int i = 0; i < 16; ++i) memory.put(token(i), bad());
  int known = 0;
  for (int i = 0; i < 16; ++i) known += recalled(memory, token(i)).empty() ? 0 : 1;
  EXPECT_EQ(known, 2) << "16 KiB hold two of 7 KiB";
  EXPECT_EQ(recalled(memory, token(15)), "bad_signature") << "the latest";
}

TEST(TokenCache, BoundsTheBytesOfManyClaims) {
  TokenCache memory(4);
  for (int i = 0; i < 4; ++i) {
    auto verified = good("ann");
    for (int claim = 0; claim < 40; ++claim) verified.claims.emplace("claim" + std::to_string(claim), "1");
    memory.put("t" + std::to_string(i), std::move(verified));
  }
  EXPECT_EQ(recalled(memory, "t0"), "");
  EXPECT_EQ(recalled(memory, "t3"), "ann");
}

TEST(TokenCache, DoesNotKeepWhatIsTooLarge) {
  TokenCache memory(10);
  memory.put("t", bad(JwtError::too_large));
  EXPECT_EQ(recalled(memory, "t"), "");
}

TEST(TokenCache, MayBeOff) {
  TokenCache memory(0);
  const auto kept = memory.put("t", good("ann"));
  EXPECT_EQ(kept->claims.at("sub"), "ann");
  memory.put("u", bad());
  EXPECT_EQ(recalled(memory, "t"), "");
  EXPECT_EQ(recalled(memory, "u"), "");
}

TEST(TokenCache, ForgetsEverythingOfOtherKeys) {
  TokenCache memory(10);
  const auto kept = memory.put("t", good("ann"));
  memory.put("u", bad());
  memory.clear();
  EXPECT_EQ(recalled(memory, "t"), "");
  EXPECT_EQ(recalled(memory, "u"), "");
  EXPECT_EQ(kept->claims.at("sub"), "ann") << "whoever serves a request of it has it still";
  memory.put("t", good("bob"));
  EXPECT_EQ(recalled(memory, "t"), "bob");
}

}  // namespace
}  // namespace headgate::identity
