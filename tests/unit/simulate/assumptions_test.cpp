#include "headgate/simulate/assumptions.hpp"

#include "unit/simulate/policies.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

namespace headgate::simulate {
namespace {

using From = Assumption::From;

std::vector<Assumption> assumed(std::initializer_list<const char*> as, std::initializer_list<const char*> map = {}) {
  std::vector<Assumption> out;
  const auto add = [&](const char* text, From from) {
    auto read = parse_assumption(text, from);
    if (read.has_error())
      ADD_FAILURE() << text << ": " << read.error().message;
    else
      out.push_back(std::move(*read));
  };
  for (const auto* text : as) add(text, From::text);
  for (const auto* text : map) add(text, From::arrival);
  return out;
}

TEST(Assumptions, AreToldAsSentences) {
  const auto all = assumed({"jwt.plan=free", "api_key.owner=acme", "api_key.tier=pro", "group:team=search",
                            "basic.user=ann", "header:X-A=b", "tls"},
                           {"jwt.sub=remote_user", "header:X-A=upstream"});
  std::vector<std::string> told;
  for (const auto& each : all) told.push_back(each.sentence());
  EXPECT_THAT(told, testing::ElementsAre("each request has the claim plan: free", "each request has an API key of acme",
                                         "each request has an API key of the tier pro",
                                         "each request has an API key with the group team: search",
                                         "each request is of the user ann", "each request has the field X-A: b",
                                         "each request came over TLS",
                                         "each request has the claim sub, which is what the log has as remote_user",
                                         "each request has the field X-A, which is what the log has as upstream"));
}

TEST(Assumptions, SayWhereTheyAreWrong) {
  EXPECT_EQ(test::fault_text(parse_assumption("jwt.plan", From::text)), "8+1 '=' is missing");
  EXPECT_EQ(test::fault_text(parse_assumption("jwt.=x", From::text)), "0+4 \"jwt.\" cannot be assumed");
  EXPECT_EQ(test::fault_text(parse_assumption("claim.plan=x", From::text)), "0+10 \"claim.plan\" cannot be assumed");
  EXPECT_EQ(test::fault_text(parse_assumption("header:a b=x", From::text)), "0+10 \"header:a b\" cannot be assumed");
  EXPECT_EQ(test::fault_text(parse_assumption("group:a b=x", From::text)), "0+9 \"group:a b\" cannot be assumed");
  EXPECT_EQ(test::fault_text(parse_assumption("header:Host=x", From::text)), "0+11 the host is that of the log");
  EXPECT_EQ(test::fault_text(parse_assumption("header:a=x\r\ny", From::text)),
            "9+4 a control character cannot stand in it");
  EXPECT_EQ(test::fault_text(parse_assumption("jwt.sub=", From::arrival)),
            "8+1 the name of a field of the log is missing");
}

/// The arrivals of a group with what is assumed of them; `value` is what each has under every name.
struct Assumed {
  Assumed(std::vector<Assumption> all, std::vector<std::string> values)
      : assumptions(std::move(all)),
        values_(std::move(values)),
        from({{"192.0.2.1", static_cast<unsigned>(values_.size()), std::chrono::seconds(1), {}, fields}}),
        arrivals(
            from, assumptions, [this](std::size_t) { return std::string_view(values_[at_]); }, known) {}
  const engine::RequestArrival& next() {
    const auto* const arrival = arrivals.next();
    EXPECT_NE(arrival, nullptr);
    ++at_;
    return *arrival;
  }
  void look_at(std::size_t at) { at_ = at; }

  std::vector<http::Field> fields{{http::Known::unknown, "x-a", "old"}, {http::Known::accept, "Accept", "*/*"}};
  std::vector<Assumption> assumptions;
  std::vector<std::string> values_;
  std::size_t at_ = 0;
  identity::ApiKeys known{{}};
  test::Groups from;
  AssumedArrivals arrivals;
};

TEST(Assumptions, GiveClaimsThatMayBeTheSameForAll) {
  Assumed all(assumed({"jwt.plan=free", "jwt.name=\"a\\b"}, {"jwt.sub=user"}), {"ada", "bob", "", "ada"});
  const auto first = all.next().assumed.claims;
  EXPECT_EQ(first, R"({"plan":"free","name":"\"a\\b","sub":"ada"})");
  EXPECT_EQ(all.next().assumed.claims, R"({"plan":"free","name":"\"a\\b","sub":"bob"})");
  EXPECT_EQ(all.next().assumed.claims, R"({"plan":"free","name":"\"a\\b"})");
  EXPECT_EQ(all.next().assumed.claims.data(), first.data()) << "what is under way keeps its claims";
}

TEST(Assumptions, GiveNoTokenToWhoHasNoClaim) {
  Assumed all(assumed({}, {"jwt.sub=user"}), {"", "ada"});
  EXPECT_EQ(all.next().assumed.claims, "");
  EXPECT_EQ(all.next().assumed.claims, R"({"sub":"ada"})");
}

TEST(Assumptions, GiveAKeyToEachOwner) {
  Assumed all(assumed({"api_key.tier=pro"}, {"api_key.owner=user"}), {"acme", "bolt", "acme"});
  const auto* const first = all.next().assumed.key;
  ASSERT_NE(first, nullptr);
  EXPECT_EQ(first->owner, "acme");
  EXPECT_EQ(first->tier, "pro");
  EXPECT_EQ(all.next().assumed.key->owner, "bolt");
  EXPECT_EQ(all.next().assumed.key, first);
}

TEST(Assumptions, GiveAKeyToEachGroup) {
  Assumed all(assumed({"group:organisation=acme"}, {"group:team=group:team"}), {"search", "", "ads", "search"});
  const auto* const first = all.next().assumed.key;
  ASSERT_NE(first, nullptr);
  EXPECT_EQ(first->group("team"), "search");
  EXPECT_EQ(first->group("organisation"), "acme");
  EXPECT_EQ(all.next().assumed.key->group("team"), "") << "a line without the field";
  EXPECT_EQ(all.next().assumed.key->group("team"), "ads");
  EXPECT_EQ(all.next().assumed.key, first);
  Assumed none(assumed({}, {"group:team=team"}), {""});
  EXPECT_EQ(none.next().assumed.key, nullptr);
}

TEST(Assumptions, PutFieldsInThePlaceOfTheirs) {
  Assumed all(assumed({"header:X-A=new", "tls"}), {""});
  const auto& arrival = all.next();
  ASSERT_EQ(arrival.fields.size(), 2U);
  EXPECT_EQ(arrival.fields[0].name, "Accept");
  EXPECT_EQ(arrival.fields[1].value, "new");
  EXPECT_TRUE(arrival.tls);
}

TEST(Assumptions, DecideWhichTierARequestHas) {
  const auto config = test::config_of(
      R"("identity": {"api_key": {"header": "X-API-Key", "keys": {"acme": {"sha256": ")" + std::string(64, 'a') +
      R"(", "tier": "pro"}}}},
         "limits": {"plan": {"per": "api_key", "tier_from": "api_key", "default_tier": "free", "if_absent": "skip",
                             "tiers": {"free": {"rate": "1/hour"}, "pro": {"rate": "3/hour"}}}},
         "routes": [{"path": "/*", "to": "app", "limits": ["plan"]}])");
  const auto policy = policy_of(config);
  const auto assumptions = assumed({"api_key.owner=acme"});
  test::Groups groups({{"192.0.2.1", 5}});
  AssumedArrivals arrivals(groups, assumptions, {}, policy.parts.credentials->api_keys());
  const auto found = run(policy, arrivals, {}).figures;
  EXPECT_EQ(found.limits[0].tiers[1].name, "pro");
  EXPECT_EQ(found.limits[0].tiers[1].requests, 5U);
  EXPECT_EQ(found.limits[0].tiers[1].rejected, 2U);
}

TEST(Assumptions, OfATokenAreBelieved) {
  const auto config = test::config_of(
      R"("identity": {"jwt": {"issuer": "https://login.example.com/", "audience": "api", "algorithms": ["HS256"],
                              "secret": "0123456789abcdef0123456789abcdef"}},
         "limits": {"plan": {"per": "jwt.sub", "tier_from": "jwt.plan", "default_tier": "free",
                             "tiers": {"free": {"rate": "1/hour"}, "pro": {"rate": "3/hour"}}}},
         "routes": [{"path": "/*", "to": "app", "require": "jwt", "limits": ["plan"]}])");
  const auto policy = policy_of(config);
  const auto assumptions = assumed({"jwt.plan=pro", "jwt.sub=ada"});
  test::Groups groups({{"192.0.2.1", 5}});
  AssumedArrivals arrivals(groups, assumptions, {}, policy.parts.credentials->api_keys());
  const auto found = run(policy, arrivals, {}).figures;
  EXPECT_EQ(found.limits[0].undecided, 0U);
  EXPECT_EQ(found.limits[0].tiers[1].requests, 5U);
  EXPECT_EQ(found.limits[0].tiers[1].rejected, 2U);
  EXPECT_EQ(found.limits[0].worst[0].key, "ada");
  test::Groups bare({{"192.0.2.1", 5}});
  EXPECT_EQ(run(policy, bare, {}).figures.limits[0].undecided, 5U);
}

TEST(Assumptions, NameUsersOfTheLog) {
  Assumed all(assumed({}, {"basic.user=user"}), {"ann", "", "ben"});
  EXPECT_EQ(all.next().assumed.user, "ann");
  EXPECT_EQ(all.next().assumed.user, "");
  EXPECT_EQ(all.next().assumed.user, "ben");
}

}  // namespace
}  // namespace headgate::simulate
