// Overrides on the path: what an operator gives one key of a limit for a time.

#include "unit/gateway/path/path.hpp"

#include "headgate/gateway/override_table.hpp"
#include "headgate/identity/network.hpp"

#include <random>

namespace headgate::gateway::test {
namespace {

using testing::HasSubstr;

class PathOverrides : public Path {
 protected:
  limit::Override size_of(const std::string& limit, const std::string& key, const std::vector<std::string>& rates,
                          Duration length = std::chrono::hours(1)) {
    limit::Override out;
    out.limit = limit;
    out.key = key;
    for (const auto& rate : rates) out.rates.push_back(*parse_rate(rate));
    out.since = clock.wall();
    out.until = clock.wall() + length;
    return out;
  }
  void give(std::vector<limit::Override> all) { override_keys(all); }
  unsigned ask(std::string_view fields = {}) {
    if (started_)
      ask_again("GET /a", fields);
    else
      check("GET /a", fields);
    started_ = true;
    return client.status;
  }
  /// How many of `tries` requests are let through.
  int passed(int tries, std::string_view fields = {}) {
    int out = 0;
    for (int i = 0; i < tries; ++i) out += ask(fields) == 200 ? 1 : 0;
    return out;
  }
  void know_key(const std::string& key, const std::string& owner, std::vector<identity::RateOverride> own = {}) {
    identity.api_key.written = true;
    identity::ApiKeyRecord record;
    record.owner = owner;
    record.digest = identity::sha256(key);
    record.overrides = std::move(own);
    identity.api_key.known.push_back(std::move(record));
  }

 private:
  bool started_ = false;
};

TEST_F(PathOverrides, GiveOneKeyAnotherSizeAndKeepWhatItUsed) {
  in_memory("plan", "3/hour");
  EXPECT_EQ(passed(5), 3);
  give({size_of("plan", "192.0.2.7", {"10/hour"})});
  EXPECT_EQ(passed(9), 7) << "three are used";
  EXPECT_EQ(client.fields["RateLimit-Policy"], "\"plan\";q=10;w=3600");
  ASSERT_NE(x.admission.binding, nullptr);
  EXPECT_EQ(x.admission.binding->tier->name, "override");
  give({size_of("plan", "192.0.2.8", {"100/hour"})});
  EXPECT_EQ(passed(2), 0) << "that is another key";
}

TEST_F(PathOverrides, EndAtTheirMomentAlsoIfTheTableStillHasThem) {
  in_memory("plan", "1/hour");
  ask();
  give({size_of("plan", "192.0.2.7", {"3600/hour"}, seconds(10))});
  EXPECT_EQ(passed(3), 3);
  clock.advance(seconds(10) - Duration(1));
  EXPECT_EQ(ask(), 200U);
  clock.advance(Duration(1));
  EXPECT_EQ(ask(), 429U);
  EXPECT_EQ(client.fields["RateLimit-Policy"], "\"plan\";q=1;w=3600");
}

TEST_F(PathOverrides, CanBeSmallerThanWhatIsUsed) {
  in_memory("plan", "10/hour");
  EXPECT_EQ(passed(6), 6);
  give({size_of("plan", "192.0.2.7", {"5/hour"})});
  EXPECT_EQ(passed(2), 0);
  give({});
  EXPECT_EQ(passed(10), 4) << "of ten, six stay used";
}

TEST_F(PathOverrides, CanBeUnlimitedAndThenCountNothing) {
  in_memory("plan", "2/hour");
  EXPECT_EQ(passed(1), 1);
  give({size_of("plan", "192.0.2.7", {})});
  EXPECT_EQ(passed(20), 20);
  EXPECT_EQ(client.fields.count("RateLimit-Policy"), 0U);
  give({});
  EXPECT_EQ(passed(3), 1);
}

TEST_F(PathOverrides, CanHaveSeveralRates) {
  in_memory("plan", "2/hour");
  give({size_of("plan", "192.0.2.7", {"5/minute", "8/hour"})});
  EXPECT_EQ(passed(6), 5);
  clock.advance(std::chrono::minutes(1));
  EXPECT_EQ(passed(6), 3);
}

TEST_F(PathOverrides, StandAboveTheSizeThatAnApiKeyHasOfItsOwn) {
  know_key("secret", "acme", {{"plan", {*parse_rate("2/hour")}, {}}});
  limit_by("api_key", "plan", "1/hour");
  EXPECT_EQ(passed(3, "X-API-Key: secret\r\n"), 2);
  give({size_of("plan", "acme", {"4/hour"})});
  EXPECT_EQ(passed(3, "X-API-Key: secret\r\n"), 2);
  give({});
  EXPECT_EQ(passed(3, "X-API-Key: secret\r\n"), 0);
}

TEST_F(PathOverrides, HoldForThePartThatARouteHasOfTheLimit) {
  in_memory("plan", "10/hour");
  route.limits.back().scale_up = 1;
  route.limits.back().scale_down = 2;
  give({size_of("plan", "192.0.2.7", {"40/hour"})});
  EXPECT_EQ(passed(25), 20);
  EXPECT_NE(client.body.find("\"limit\": \"plan@things\""), std::string::npos) << client.body;
}

TEST_F(PathOverrides, HoldInRedisAndInTheShareOfAnOutage) {
  const auto stored = std::make_shared<StoredRedis>(clock, trace);
  other_redis = stored;
  in_redis("plan", "2/hour");
  EXPECT_EQ(passed(3), 2);
  give({size_of("plan", "192.0.2.7", {"5/hour"})});
  EXPECT_EQ(passed(9), 3);
  stored->away = true;
  EXPECT_EQ(passed(9), 5) << "the share of an only gateway is all of it";
  give({});  // what is owed was counted by a size that is gone
  stored->away = false;
  clock.advance(seconds(2));
  EXPECT_EQ(passed(1), 0);
}

TEST_F(PathOverrides, CountInShardsAsTheLimitDoes) {
  limits.reserve(4);
  auto& limit = in_redis("plan", "80/hour");
  limit.shards = 4;
  give({size_of("plan", "192.0.2.7", {"800/hour"})});
  EXPECT_EQ(ask(), 200U);
  EXPECT_THAT(redis->asked.back(), HasSubstr("192.0.2.7#"));
  EXPECT_EQ(client.fields["X-RateLimit-Limit"], "800");
  EXPECT_EQ(client.fields["X-RateLimit-Remaining"], "199") << "one of four shards";
}

TEST_F(PathOverrides, AreExplained) {
  in_memory("plan", "1/hour");
  auto one = size_of("plan", "192.0.2.7", {"7/hour"});
  one.why = "launch";
  give({one});
  const auto told = explain("GET /a");
  ASSERT_EQ(told.limits.size(), 1U);
  EXPECT_EQ(told.limits[0].tier, "override");
  ASSERT_TRUE(told.limits[0].override);
  EXPECT_EQ(told.limits[0].override->until, one.until);
  EXPECT_EQ(told.limits[0].override->why, "launch");
  EXPECT_EQ(told.limits[0].rules.at(0).limit, 7U);
}

TEST_F(PathOverrides, DoNotBringAnExemptCallerUnderALimit) {
  in_memory("plan", "1/hour");
  options.exemptions.push_back({"plan", {*identity::parse_network("192.0.2.0/24")}, {}});
  give({size_of("plan", "192.0.2.7", {"1/hour"})});
  EXPECT_EQ(passed(5), 5);
}

/// A table on its own.
class OverrideTables : public PathOverrides {
 protected:
  const OverrideTable& table(const std::vector<limit::Override>& all, const OverrideTable* before = nullptr) {
    if (!compiled_) {
      options.routes.push_back(route);
      compiled_ =
          std::make_shared<const CompiledConfig>(options, identity, limits, headgate::test::upstreams({"app"}), 1);
      keys_ = std::make_shared<const ActiveCredentials>(
          *compiled_, std::make_shared<const identity::Credentials>(identity::Credentials{
                          std::make_shared<const identity::ApiKeys>(identity.api_key.known), {}, {}}));
    }
    return *tables_.emplace_back(std::make_unique<OverrideTable>(*compiled_, *keys_, all, before));
  }
  const CompiledLimit& ready(const std::string& name) const {
    for (const auto& each : compiled_->limits())
      if (each->base == name) return *each;
    throw std::logic_error("no limit " + name);
  }

 private:
  std::shared_ptr<const CompiledConfig> compiled_;
  std::shared_ptr<const ActiveCredentials> keys_;
  std::vector<std::unique_ptr<OverrideTable>> tables_;
};

TEST_F(OverrideTables, SayWhyOneHasNoEffect) {
  limits.reserve(8);
  in_memory("plan", "10/hour");
  in_flight("slots", 5);
  in_memory("log", "10/hour").tiers[0].rules[0].algorithm = limit::find_algorithm("sliding_log");
  const auto& made =
      table({size_of("plan", "a", {"5/hour"}), size_of("gone", "a", {"5/hour"}), size_of("slots", "a", {"5/hour"}),
             size_of("slots", "b", {}), size_of("log", "a", {"1000000/hour"}), size_of("plan", "b", {"5/month"})});
  EXPECT_EQ(made.why_not("plan", "a"), "");
  EXPECT_EQ(made.why_not("slots", "b"), "") << "unlimited";
  EXPECT_THAT(std::string(made.why_not("gone", "a")), HasSubstr("no route uses"));
  EXPECT_THAT(std::string(made.why_not("slots", "a")), HasSubstr("in flight"));
  EXPECT_NE(made.why_not("log", "a"), "") << "more than a log can hold";
  EXPECT_THAT(std::string(made.why_not("plan", "b")), HasSubstr("months"));
  EXPECT_FALSE(made.all_have_effect());
  EXPECT_EQ(made.find(ready("slots"), "a", clock.wall()), nullptr);
  EXPECT_NE(made.find(ready("slots"), "b", clock.wall()), nullptr);
}

TEST_F(OverrideTables, LetNoRequestBeUnderMoreRatesThanItCanHave) {
  limits.reserve(8);
  std::vector<std::string> eight;
  for (int period = 1; period <= 8; ++period) eight.push_back("5/" + std::to_string(period) + "h");
  std::vector<limit::Override> all;
  for (int i = 0; i < 5; ++i) {
    const auto name = "l" + std::to_string(i);
    in_memory(name, "5/hour");
    all.push_back(size_of(name, "a", eight));
  }
  const auto& made = table(all);
  int refused = 0;
  for (const auto& one : all) refused += made.why_not(one.limit, "a").empty() ? 0 : 1;
  EXPECT_EQ(refused, 2) << "3 limits of 8 rates and 2 of one are 26; one more is 33";
  std::rotate(all.begin(), all.begin() + 1, all.end());
  EXPECT_EQ(table(all).why_not("l1", "a"), "") << "those that come first are kept";
}

TEST_F(OverrideTables, KeepWhatHasNotChanged) {
  in_memory("plan", "10/hour");
  auto a = size_of("plan", "a", {"5/hour"});
  auto b = size_of("plan", "b", {"5/hour"});
  const auto& first = table({a, b});
  b.rates[0].count = 6;
  const auto& second = table({a, b}, &first);
  EXPECT_EQ(second.find(ready("plan"), "a", clock.wall()), first.find(ready("plan"), "a", clock.wall()));
  EXPECT_EQ(second.find(ready("plan"), "b", clock.wall())->tier.rules.at(0).rate.count, 6U);
}

TEST_F(OverrideTables, FindWhatASearchThroughAllFinds) {
  limits.reserve(4);
  in_memory("plan", "10/hour");
  in_memory("other", "20/minute");
  std::mt19937 random(11);
  const auto pick = [&](int below) { return static_cast<int>(random() % static_cast<unsigned>(below)); };
  const OverrideTable* before = nullptr;
  for (int run = 0; run < 100; ++run) {
    std::map<std::pair<std::string, std::string>, limit::Override> model;
    for (int i = pick(20); i > 0; --i) {
      const std::string limit = pick(2) == 0 ? "plan" : "other";
      const std::string key(1, static_cast<char>('a' + pick(6)));
      model.insert_or_assign({limit, key},
                             size_of(limit, key, {std::to_string(1 + pick(50)) + "/hour"}, seconds(1 + pick(100))));
    }
    std::vector<limit::Override> all;
    for (const auto& [name, one] : model) all.push_back(one);
    const auto& made = table(all, before);
    before = &made;
    for (const std::string limit : {"plan", "other"}) {
      for (const std::string key : {"a", "b", "c", "d", "e", "f", "g"}) {
        const auto at = clock.wall() + seconds(pick(110));
        const auto wanted = model.find({limit, key});
        const bool there = wanted != model.end() && wanted->second.until > at;
        const auto* const found = made.find(ready(limit), key, at);
        ASSERT_EQ(found != nullptr, there) << limit << ' ' << key;
        if (found == nullptr) continue;
        ASSERT_EQ(found->tier.rules.at(0).rate, wanted->second.rates[0]);
      }
    }
    clock.advance(seconds(pick(20)));
  }
}

}  // namespace
}  // namespace headgate::gateway::test
