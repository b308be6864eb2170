// Limits that count by the groups of API keys: one request counts for its key, its user, its team and its organisation.

#include "unit/gateway/path/path.hpp"

namespace headgate::gateway::test {
namespace {

using testing::HasSubstr;

class PathGroups : public Path {
 protected:
  void know_key(const std::string& key, const std::string& owner, identity::KeyGroups groups) {
    identity.api_key.written = true;
    identity::ApiKeyRecord record;
    record.owner = owner;
    record.digest = identity::sha256(key);
    record.groups = std::move(groups);
    identity.api_key.known.push_back(std::move(record));
  }
  unsigned ask(const std::string& key, const std::string& user = {}) {
    const auto fields = "X-API-Key: " + key + "\r\n" + (user.empty() ? "" : "Authorization: Bearer " + user + "\r\n");
    if (gateway == nullptr)
      check("GET /a", fields);
    else
      ask_again("GET /a", fields);
    return client.status;
  }
  /// The permits of a limit that the store has left for a key.
  std::uint64_t left_of(limit::MemoryStore& store, const std::string& name, std::string_view key) {
    const auto limit = std::ranges::find(limits, name, &limit::Limit::name);
    const auto look = headgate::test::make_check(limit->tiers.front().rules.front(), key, 0);
    limit::Decision decision;
    store.decide({&look, 1}, clock.wall(), {&decision, 1});
    return decision.remaining;
  }
};

TEST_F(PathGroups, CountARequestForItsKeyUserTeamAndOrganisationOrForNone) {
  const auto stored = std::make_shared<StoredRedis>(clock, trace);
  other_redis = stored;
  believe_tokens();
  know_key("key-a", "a", {{"team", "search"}, {"organisation", "acme"}});
  know_key("key-b", "b", {{"team", "ads"}, {"organisation", "acme"}});
  limit_by("api_key", "key", "9/hour");
  limit_by("jwt.sub", "user", "9/hour");
  limit_by("group:team", "team", "9/hour", limit::Store::redis);
  limit_by("group:organisation", "organisation", "3/hour", limit::Store::redis);
  const auto used = [&] {
    return std::vector{
        9 - left_of(memory.store(), "key", "a"),      9 - left_of(memory.store(), "key", "b"),
        9 - left_of(memory.store(), "user", "alice"), 9 - left_of(stored->store(), "team", "search"),
        9 - left_of(stored->store(), "team", "ads"),  3 - left_of(stored->store(), "organisation", "acme")};
  };
  EXPECT_EQ(ask("key-a", "alice"), 200U);
  EXPECT_THAT(trace.lines, testing::Contains(HasSubstr("redis team 1, organisation 1"))) << "in one call";
  EXPECT_EQ(ask("key-b", "alice"), 200U);
  EXPECT_EQ(ask("key-b", "bob"), 200U);
  const std::vector<std::uint64_t> expected{1, 2, 2, 1, 2, 3};
  EXPECT_EQ(used(), expected);
  EXPECT_EQ(ask("key-a", "alice"), 429U);
  EXPECT_THAT(client.body, HasSubstr("\"limit\": \"organisation\""));
  EXPECT_EQ(ask("key-b", "carol"), 429U);
  EXPECT_EQ(used(), expected) << "the organisation rejected, so nothing else is taken";
  EXPECT_EQ(left_of(memory.store(), "user", "carol"), 9U);
}

TEST_F(PathGroups, LeaveTheOtherLevelsAloneIfTheFirstOneRejects) {
  const auto stored = std::make_shared<StoredRedis>(clock, trace);
  other_redis = stored;
  know_key("key-a", "a", {{"team", "search"}, {"organisation", "acme"}});
  limit_by("api_key", "key", "2/hour");
  limit_by("group:team", "team", "9/hour", limit::Store::redis);
  limit_by("group:organisation", "organisation", "9/hour", limit::Store::redis);
  for (const unsigned status : {200U, 200U, 429U, 429U}) EXPECT_EQ(ask("key-a"), status);
  EXPECT_EQ(left_of(stored->store(), "team", "search"), 7U);
  EXPECT_EQ(left_of(stored->store(), "organisation", "acme"), 7U);
}

TEST_F(PathGroups, RefuseAKeyWithoutTheGroup) {
  know_key("key-a", "a", {{"organisation", "acme"}});
  limit_by("group:team", "team", "9/hour");
  EXPECT_EQ(ask("key-a"), 401U);
  EXPECT_THAT(client.body, HasSubstr("does not have the group"));
  EXPECT_EQ(client.fields["WWW-Authenticate"], "ApiKey");
  EXPECT_EQ(metric(R"(headgate_auth_total{route="things",kind="api_key",result="no_group"})"), "1");
  EXPECT_EQ(ask("unknown"), 401U);
  EXPECT_THAT(client.body, HasSubstr("not accepted"));
}

TEST_F(PathGroups, CountAKeyWithoutTheGroupAsIfAbsentSays) {
  know_key("key-a", "a", {{"team", "search"}});
  know_key("key-b", "b", {});
  auto& limit = limit_by("group:team", "team", "2/hour");
  limit.if_absent.instead = {{headgate::test::make_per("api_key")}, {headgate::test::make_per("client_ip")}};
  for (const auto* const key : {"key-a", "key-b", "unknown"}) {
    EXPECT_EQ(ask(key), 200U) << key;
    EXPECT_EQ(ask(key), 200U) << key;
    EXPECT_EQ(ask(key), 429U) << key;
  }
}

TEST_F(PathGroups, AreExplained) {
  know_key("key-a", "a", {{"team", "search"}, {"organisation", "acme"}});
  limit_by("group:team", "team", "9/hour");
  const auto told = explain("GET /a", "X-API-Key: key-a\r\n");
  EXPECT_EQ(told.owner, "a");
  EXPECT_EQ(told.groups, (identity::KeyGroups{{"team", "search"}, {"organisation", "acme"}}));
  ASSERT_EQ(told.limits.size(), 1U);
  EXPECT_EQ(told.limits[0].key, "search");
}

}  // namespace
}  // namespace headgate::gateway::test
