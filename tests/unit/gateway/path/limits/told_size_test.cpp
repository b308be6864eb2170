// Limits whose size is a number in the caller's credential.

#include "../../../../../src/gateway/limits/told_size.hpp"

#include "unit/gateway/path/path.hpp"

#include <array>
#include <map>
#include <thread>

namespace headgate::gateway::test {
namespace {

using testing::HasSubstr;

class PathToldSize : public Path {
 protected:
  /// A limit of `otherwise` an hour for callers whose API key does not tell their size.
  limit::Limit& told_by_key(const std::string& otherwise, std::uint64_t most = 1000,
                            limit::Store store = limit::Store::memory) {
    auto& limit = limit_by("client_ip", "plan", otherwise + "/hour", store);
    limit.size_from = {.from = headgate::test::make_per("group:rpm"), .most = most, .burst = {}};
    return limit;
  }
  void know_key(const std::string& key, const std::string& number, std::vector<identity::RateOverride> own = {}) {
    identity.api_key.written = true;
    identity::ApiKeyRecord record;
    record.owner = key;
    record.digest = identity::sha256(key);
    if (!number.empty()) record.groups = {{"rpm", number}};
    record.overrides = std::move(own);
    identity.api_key.known.push_back(std::move(record));
  }
  unsigned ask(const std::string& key) {
    const auto fields = key.empty() ? std::string() : "X-API-Key: " + key + "\r\n";
    if (gateway == nullptr)
      check("GET /a", fields);
    else
      ask_again("GET /a", fields);
    return client.status;
  }
  int passed(int tries, const std::string& key) {
    int out = 0;
    for (int i = 0; i < tries; ++i) out += ask(key) == 200 ? 1 : 0;
    return out;
  }
  /// The quota that RateLimit-Policy tells a caller with this key.
  std::string quota(const std::string& key) {
    ask(key);
    const auto policy = client.fields["RateLimit-Policy"];
    const auto at = policy.find("q=");
    return at == policy.npos ? policy : policy.substr(at + 2, policy.find(';', at) - at - 2);
  }
};

TEST_F(PathToldSize, IsTheNumberUpToTheMost) {
  told_by_key("3", 50);
  for (const auto* const number : {"1", "7", "007", "50", "51", "99999999999999999999999999"}) know_key(number, number);
  for (const auto& [key, expected] : std::map<std::string, std::string>{
           {"1", "1"}, {"7", "7"}, {"007", "7"}, {"50", "50"}, {"51", "50"}, {"99999999999999999999999999", "50"}})
    EXPECT_EQ(quota(key), expected) << key;
}

TEST_F(PathToldSize, IsTheOtherOneWithoutANumberAndNoRequestFails) {
  told_by_key("500");
  int keys = 0;
  for (const auto* const number : {"", "0", "-5", "1.5", "1e3", "ten", " 7", "7 ", "0x10", "+7", "\xd9\xa3"})
    know_key("key-" + std::to_string(++keys), number);
  for (const auto& key : identity.api_key.known) EXPECT_EQ(quota(key.owner), "500") << key.group("rpm");
  EXPECT_EQ(quota(""), "500") << "without a key";
  EXPECT_EQ(client.status, 200U);
}

TEST_F(PathToldSize, KeepsWhatTheKeyHasUsedUnderAnotherSize) {
  told_by_key("3");
  know_key("small", "5");
  know_key("large", "10");
  EXPECT_EQ(passed(9, "small"), 5);
  EXPECT_EQ(passed(9, "large"), 5) << "the same counter: five are used";
  EXPECT_EQ(passed(9, "small"), 0) << "a smaller size does not forget what was used under a larger one";
  EXPECT_EQ(passed(9, ""), 0);
  EXPECT_EQ(client.fields["RateLimit-Policy"], "\"plan\";q=3;w=3600");
}

TEST_F(PathToldSize, CanComeFromAClaimAndBeRefusedByNobody) {
  believe_tokens();
  auto& limit = limit_by("client_ip", "plan", "3/hour");
  limit.size_from = {.from = headgate::test::make_per("jwt.sub"), .most = 100, .burst = {}};
  check("GET /a", "Authorization: Bearer 42\r\n");
  EXPECT_EQ(client.fields["RateLimit-Policy"], "\"plan\";q=42;w=3600");
  ask_again("GET /a", "Authorization: Bearer alice\r\n");
  EXPECT_EQ(client.fields["RateLimit-Policy"], "\"plan\";q=3;w=3600");
  EXPECT_EQ(client.status, 200U);
  ask_again("GET /a");
  EXPECT_EQ(client.fields["RateLimit-Policy"], "\"plan\";q=3;w=3600") << "without a token";
  ask_again("GET /a", "Authorization: Bearer bad\r\n");
  EXPECT_EQ(client.status, 401U) << "a claim is believed only of a valid token";
}

TEST_F(PathToldSize, KeepsTheBurstOfTheConfiguration) {
  auto& limit = told_by_key("3600");
  limit.tiers.front().rules.front().burst = 2;
  limit.size_from->burst = 2;
  know_key("key", "900");
  EXPECT_EQ(passed(5, "key"), 2);
  clock.advance(seconds(4));
  EXPECT_EQ(passed(5, "key"), 1) << "900 an hour is one in four seconds";
}

TEST_F(PathToldSize, GivesWayToTheKeysOwnSizeAndToAnOverride) {
  told_by_key("3");
  know_key("key", "7", {{"plan", {*parse_rate("20/hour")}, {}}});
  EXPECT_EQ(quota("key"), "20");
  limit::Override wanted;
  wanted.limit = "plan";
  wanted.key = "192.0.2.7";
  wanted.rates = {*parse_rate("30/hour")};
  wanted.since = clock.wall();
  wanted.until = clock.wall() + std::chrono::hours(1);
  override_keys({&wanted, 1});
  EXPECT_EQ(quota("key"), "30");
  EXPECT_FALSE(explain("GET /a", "X-API-Key: key\r\n").limits.at(0).size);
}

TEST_F(PathToldSize, CountsInRedisAndInTheShareOfAnOutage) {
  const auto stored = std::make_shared<StoredRedis>(clock, trace);
  other_redis = stored;
  told_by_key("2", 1000, limit::Store::redis);
  know_key("key", "5");
  EXPECT_EQ(passed(9, "key"), 5);
  stored->away = true;
  EXPECT_EQ(passed(9, "key"), 5) << "the share of an only gateway is all of it";
}

TEST_F(PathToldSize, IsScaledForARoute) {
  told_by_key("2");
  route.limits.back().scale_up = 1;
  route.limits.back().scale_down = 2;
  know_key("key", "40");
  EXPECT_EQ(passed(25, "key"), 20);
}

TEST_F(PathToldSize, MayBeAnotherOneForEveryKeyWithoutAnEnd) {
  told_by_key("3", 100'000);
  for (std::size_t i = 1; i <= 3 * ToldSizes::kMax; ++i) know_key("key " + std::to_string(i), std::to_string(i));
  for (int twice = 0; twice < 2; ++twice)
    for (std::size_t i = 1; i <= 3 * ToldSizes::kMax; i += 7)
      EXPECT_EQ(quota("key " + std::to_string(i)), std::to_string(i));
}

TEST_F(PathToldSize, IsExplained) {
  told_by_key("3");
  know_key("key", "7");
  const auto told = explain("GET /a", "X-API-Key: key\r\n").limits.at(0);
  ASSERT_TRUE(told.size);
  EXPECT_EQ(told.size->from, "group:rpm");
  EXPECT_TRUE(told.size->told);
  EXPECT_EQ(told.tier, "group:rpm");
  EXPECT_EQ(told.rules.at(0).limit, 7U);
  const auto otherwise = explain("GET /a").limits.at(0);
  ASSERT_TRUE(otherwise.size);
  EXPECT_FALSE(otherwise.size->told);
  EXPECT_EQ(otherwise.rules.at(0).limit, 3U);
}

TEST(ToldSizes, KeepTheFirstTierOfANumberAndAreFullInTheEnd) {
  ToldSizes sizes;
  const auto tier = [] { return std::unique_ptr<const CompiledTier>(std::make_unique<CompiledTier>()); };
  EXPECT_EQ(sizes.find(5), nullptr);
  auto first = tier();
  const auto* const kept = sizes.keep(5, first);
  ASSERT_NE(kept, nullptr);
  EXPECT_EQ(sizes.find(5), kept);
  auto second = tier();
  EXPECT_EQ(sizes.keep(5, second), kept);
  std::size_t room = 1;
  for (std::uint64_t number = 6; number < 10 * ToldSizes::kMax; ++number) {
    auto more = tier();
    const auto* const made = more.get();
    const auto* const there = sizes.keep(number, more);
    if (there == nullptr) {
      EXPECT_EQ(more.get(), made) << "the caller still has it";
      EXPECT_EQ(sizes.find(number), nullptr);
    } else {
      EXPECT_EQ(sizes.find(number), there);
      ++room;
    }
  }
  EXPECT_LE(room, ToldSizes::kMax);
  EXPECT_GT(room, ToldSizes::kMax / 2);
  EXPECT_EQ(sizes.find(5), kept);
}

TEST(ToldSizes, AgreeOnOneTierForAllThreads) {
  ToldSizes sizes;
  constexpr std::size_t kThreads = 4;
  constexpr std::uint64_t kNumbers = 32;
  std::array<std::array<const CompiledTier*, kNumbers>, kThreads> seen{};
  {
    std::vector<std::jthread> threads;
    for (auto& own : seen)
      threads.emplace_back([&sizes, &own] {
        for (std::uint64_t number = 0; number < kNumbers; ++number) {
          std::unique_ptr<const CompiledTier> tier = std::make_unique<CompiledTier>();
          own[number] = sizes.keep(number, tier);
        }
      });
  }
  for (std::uint64_t number = 0; number < kNumbers; ++number)
    for (const auto& own : seen) EXPECT_EQ(own[number], sizes.find(number)) << number;
}

}  // namespace
}  // namespace headgate::gateway::test
