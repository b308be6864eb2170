// A route that splits its requests: each goes to one upstream, with the limits and the queue of that one.

#include "unit/gateway/path/path.hpp"

#include "headgate/core/hash.hpp"

namespace headgate::gateway::test {
namespace {

using testing::ElementsAre;

class PathSplit : public Path {
 protected:
  PathSplit() { next_app = std::make_shared<ScriptedUpstream>(clock, trace, "next"); }
  /// The request's part of 100 for "app" and "next".
  void split(std::uint32_t app_weight, std::uint32_t next_weight, const std::vector<std::string>& by = {}) {
    for (const auto& part : by) parts.by.push_back(headgate::test::make_per(part));
    parts.shares = {{.upstream = "app", .weight = app_weight, .when = {}, .seed = stable_hash("app")},
                    {.upstream = "next", .weight = next_weight, .when = {}, .seed = stable_hash("next")}};
  }
  /// The upstream that such a request goes to.
  std::string goes(const std::string& fields = {}) {
    if (!gateway) route.split = std::make_shared<const Split>(parts);
    if (gateway)
      ask_again("GET /a", fields);
    else
      check("GET /a", fields);
    EXPECT_TRUE(done);
    return std::string(x.upstream);
  }

  Split parts;
};

TEST_F(PathSplit, SendsEachRequestToOneOfItsUpstreams) {
  split(1, 1);
  std::map<std::string, int> met;
  for (int i = 0; i < 200; ++i) ++met[goes()];
  EXPECT_EQ(met["app"] + met["next"], 200);
  EXPECT_GT(met["app"], 50);
  EXPECT_GT(met["next"], 50);
}

TEST_F(PathSplit, SendsOneKeyToOneUpstream) {
  split(1, 1, {"header:x-user"});
  std::map<std::string, int> met;
  for (int user = 0; user < 40; ++user) {
    const auto field = "X-User: " + std::to_string(user) + "\r\n";
    const auto first = goes(field);
    EXPECT_EQ(goes(field), first);
    EXPECT_EQ(goes(field), first);
    ++met[first];
  }
  EXPECT_GT(met["app"], 5);
  EXPECT_GT(met["next"], 5);
}

TEST_F(PathSplit, WithoutTheKeyTheAddressCounts) {
  split(1, 1, {"header:x-user"});
  const auto first = goes();
  for (int i = 0; i < 20; ++i) EXPECT_EQ(goes(), first);
}

TEST_F(PathSplit, RefusesAKeyThatAppearsTwice) {
  split(1, 1, {"header:x-user"});
  goes("X-User: a\r\nX-User: b\r\n");
  EXPECT_EQ(client.status, 400U);
}

TEST_F(PathSplit, ARequestMayAskForAShareOfNoWeight) {
  split(1, 0);
  parts.shares[1].when = {{SplitWhen::In::header, "x-canary", "1"}, {SplitWhen::In::cookie, "canary", "yes"}};
  EXPECT_EQ(goes(), "app");
  EXPECT_EQ(goes("X-Canary: 1\r\n"), "next");
  EXPECT_EQ(goes("X-Canary: 2\r\n"), "app");
  EXPECT_EQ(goes("X-Canary: 11\r\n"), "app");
  EXPECT_EQ(goes("X-Canary: 1\r\nX-Canary: 1\r\n"), "app") << "twice is not once";
  EXPECT_EQ(goes("Cookie: a=b; canary=yes\r\n"), "next");
  EXPECT_EQ(goes("Cookie: canary=no\r\n"), "app");
}

TEST_F(PathSplit, ByAClaimItChoosesWhenTheTokenIsChecked) {
  believe_tokens();
  split(1, 1, {"jwt.sub"});
  in_memory("flood", "1000/second");
  with_proof("proof", "1000/second");
  std::map<std::string, int> met;
  for (int user = 0; user < 40; ++user) {
    const auto field = "Authorization: Bearer user-" + std::to_string(user) + "\r\n";
    const auto first = goes(field);
    EXPECT_EQ(client.status, 200U);
    EXPECT_EQ(goes(field), first);
    ++met[first];
    ASSERT_EQ(x.admission.limits.size(), 2U);
    for (const auto& checked : x.admission.limits) {
      const auto& plan = x.route->plan;
      EXPECT_TRUE(checked.route_limit >= plan.data() && checked.route_limit < plan.data() + plan.size());
    }
  }
  EXPECT_GT(met["app"], 5);
  EXPECT_GT(met["next"], 5);
}

TEST_F(PathSplit, ByAClaimASuspensionStillSeesItsOffences) {
  believe_tokens();
  split(1, 1, {"jwt.sub"});
  auto& limit = in_memory("abuse", "1000/hour");
  auto& policy = limit.ban.emplace();
  policy.offences = headgate::test::make_rule("1/minute", 0, "abuse", "sliding_log");
  policy.statuses = {404};
  policy.first = policy.longest = std::chrono::minutes(10);
  server.status = 404;
  next_app->scripts.front().status = 404;
  const std::string alice = "Authorization: Bearer alice\r\n";
  goes(alice);
  goes(alice);
  goes(alice);
  EXPECT_EQ(x.ended_by, EndedBy::ban);
}

TEST_F(PathSplit, PlacesAreThoseOfTheUpstreamThatItGoesTo) {
  const shed::ConcurrencyOptions two{.adaptive = shed::ConcurrencyRange{.least = 2, .most = 2}};
  upstream("next").concurrency = two;
  next_app->counted.emplace(two);
  for (int i = 0; i < 2; ++i) next_app->counted->enter(shed::Priority::normal);
  split(1, 0);
  parts.shares[1].when = {{SplitWhen::In::header, "x-canary", "1"}};
  EXPECT_EQ(goes(), "app");
  EXPECT_EQ(client.status, 200U);
  goes("X-Canary: 1\r\n");
  EXPECT_EQ(client.status, 503U);
  EXPECT_EQ(x.ended_by, EndedBy::shed);
}

TEST_F(PathSplit, LimitsPerUpstreamCountTheUpstreamThatItGoesTo) {
  split(1, 0);
  parts.shares[1].when = {{SplitWhen::In::header, "x-canary", "1"}};
  limit_by("upstream", "each", "1/hour");
  EXPECT_EQ(goes(), "app");
  EXPECT_EQ(goes("X-Canary: 1\r\n"), "next");
  goes();
  EXPECT_EQ(client.status, 429U);
  goes("X-Canary: 1\r\n");
  EXPECT_EQ(client.status, 429U);
}

}  // namespace
}  // namespace headgate::gateway::test
