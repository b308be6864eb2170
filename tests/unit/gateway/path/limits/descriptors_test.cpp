// Calls of Envoy's rate limit service: what they take, suspend, bill and note.

#include "unit/gateway/path/descriptors.hpp"

#include "headgate/limit/notice.hpp"

namespace headgate::gateway::test {
namespace {

using std::chrono::minutes;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class PathDescriptorLimits : public PathDescriptors {
 protected:
  PathDescriptorLimits() {
    options.billing_days =
        std::make_shared<const limit::Calendar>(limit::Calendar::Unit::day, "UTC", std::vector<limit::ZoneOffset>());
  }
  /// The limit `plan` of each user.
  limit::Limit& plan(std::string_view rate, limit::Store store = limit::Store::memory) {
    return limit_by("descriptor:user", "plan", rate, store);
  }
  static void bans_after(limit::Limit& limit, std::uint64_t offences) {
    auto& policy = limit.ban.emplace();
    policy.offences = headgate::test::make_rule(std::to_string(offences) + "/minute", 0, limit.name, "sliding_log");
    policy.first = minutes(10);
    policy.longest = std::chrono::hours(24);
  }
  /// Adds a tier that the value of the key `tier` names.
  static void has_tier(limit::Limit& limit, const std::string& name, std::string_view rate) {
    limit.tier_from = headgate::test::make_per("descriptor:tier");
    auto& tier = limit.tiers.emplace_back();
    tier.name = name;
    tier.rules.push_back(headgate::test::make_rule(rate, 0, limit.name, "token_bucket"));
    limit::name_rule(tier.rules.front(), false, limit::PeriodInKey::yes);
  }
  std::map<std::string, limit::Use> bill() {
    std::map<std::string, limit::Use> out;
    for (const auto& [day, uses] : sheet.take().days)
      for (const auto& [field, use] : uses) out[field] += use;
    return out;
  }
};

TEST_F(PathDescriptorLimits, HaveTheTierThatADescriptorNames) {
  matches(route, {{"tier", "*"}, {"user", "*"}});
  auto& limit = plan("2/hour");
  limit.tiers.front().name = "free";
  has_tier(limit, "pro", "50/hour");
  const auto as = [&](const std::string& tier) { return call({{.entries = {{"tier", tier}, {"user", "a"}}}}).at(0); };
  EXPECT_THAT(as("pro"), HasSubstr("OK plan 50 left 49"));
  EXPECT_EQ(x.admission.binding->tier->name, "pro");
  EXPECT_THAT(as("free"), HasSubstr("OK plan 2 left 1"));
  EXPECT_THAT(as("unheard-of"), HasSubstr("OK plan 2 left 0")) << "the default tier";
  EXPECT_THAT(as("free"), HasSubstr("OVER plan 2 left 0"));
}

TEST_F(PathDescriptorLimits, HaveTheDefaultTierWithoutADescriptorThatNamesOne) {
  auto& limit = plan("2/hour");
  limit.tiers.front().name = "free";
  has_tier(limit, "pro", "50/hour");
  EXPECT_THAT(call_for("a"), HasSubstr("OK plan 2 left 1"));
}

TEST_F(PathDescriptorLimits, HaveTheSizeThatTheirDescriptorTells) {
  matches(route, {{"quota", "*"}, {"user", "*"}});
  plan("2/hour").size_from = {.from = headgate::test::make_per("descriptor:quota"), .most = 100, .burst = {}};
  EXPECT_THAT(
      call({{.entries = {{"quota", "7"}, {"user", "a"}}},
            {.entries = {{"quota", "900"}, {"user", "b"}}},
            {.entries = {{"quota", "many"}, {"user", "c"}}}}),
      ElementsAre(HasSubstr("OK plan 7 left 6"), HasSubstr("OK plan 100 left 99"), HasSubstr("OK plan 2 left 1")));
}

TEST_F(PathDescriptorLimits, TakeTheirHitsTimesTheCost) {
  plan("100/hour");
  route.limits.back().cost.default_value = 5;
  EXPECT_THAT(call_for("a"), HasSubstr("left 95"));
  EXPECT_THAT(call({{.entries = {{"user", "a"}}, .hits = 3}}).at(0), HasSubstr("left 80"));
  EXPECT_THAT(call({{.entries = {{"user", "a"}}, .hits = 2, .gives_back = true}}).at(0),
              HasSubstr("OK plan 100 left 90"));
}

TEST_F(PathDescriptorLimits, TakeTheirHitsTimesTheNumberInADescriptor) {
  matches(route, {{"tokens", "*"}, {"user", "*"}});
  plan("1000/hour");
  auto& cost = route.limits.back().cost;
  cost.from = find_cost_source("descriptor");
  cost.name = "tokens";
  cost.default_value = 7;
  cost.most = 100;
  const auto with = [&](const std::string& tokens, unsigned hits = 0) {
    return call({{.entries = {{"tokens", tokens}, {"user", "a"}}, .hits = hits}}).at(0);
  };
  EXPECT_THAT(with("30"), HasSubstr("left 970"));
  EXPECT_THAT(with("30", 2), HasSubstr("left 910"));
  EXPECT_THAT(with("many"), HasSubstr("left 903"));
  EXPECT_THAT(with("-5"), HasSubstr("left 896"));
  EXPECT_THAT(with("5000"), HasSubstr("left 796"));
  EXPECT_THAT(with("0"), HasSubstr("left 796"));
}

TEST_F(PathDescriptorLimits, RefuseASuspendedDescriptorAndCountNothing) {
  bans_after(plan("1/hour"), 2);
  call_for("a");
  EXPECT_EQ(call_for("a"), "OVER plan 1 left 0 wait 3600");
  EXPECT_EQ(call_for("a"), "OVER plan 1 left 0 wait 3600") << "the hour is longer than the suspension that begins";
  clock.advance(seconds(60));
  EXPECT_THAT(call({user("b"), user("a")}), ElementsAre("OK", "OVER plan 1 left 0 wait 540"));
  EXPECT_TRUE(over());
  EXPECT_EQ(told_field("Retry-After"), "540");
  EXPECT_EQ(x.ended_by, EndedBy::ban);
  EXPECT_EQ(x.problem_limit, "plan");
  EXPECT_THAT(trace.lines, testing::Not(testing::Contains(HasSubstr("memory"))));
  EXPECT_EQ(metric(R"(headgate_ban_decisions_total{limit="plan",decision="refused"})"), "1");
  EXPECT_THAT(call_for("b"), HasSubstr("OK plan 1 left 0")) << "nothing was taken with the suspended one";
}

TEST_F(PathDescriptorLimits, AnnounceTheSuspensionThatARejectionBegins) {
  bans_after(plan("1/second"), 1);
  call_for("a");
  EXPECT_EQ(call_for("a"), "OVER plan 1 left 0 wait 600");
  EXPECT_EQ(told_field("Retry-After"), "600");
  EXPECT_THAT(told_field("RateLimit"), HasSubstr("t=600"));
}

TEST_F(PathDescriptorLimits, OffendOncePerCallAndKey) {
  bans_after(plan("1/hour"), 2);
  call_for("a");
  call({user("a"), user("a")});
  EXPECT_FALSE(bans.find(limits.back().ban->offences, "a", clock.wall())) << "one call is one offence";
  call_for("a");
  EXPECT_TRUE(bans.find(limits.back().ban->offences, "a", clock.wall()));
}

TEST_F(PathDescriptorLimits, OffendOnlyWithTheKeyThatIsOver) {
  bans_after(plan("1/hour"), 1);
  call_for("a");
  EXPECT_THAT(call({user("b"), user("a")}), ElementsAre(HasSubstr("OK"), HasSubstr("OVER")));
  EXPECT_TRUE(bans.find(limits.back().ban->offences, "a", clock.wall()));
  EXPECT_FALSE(bans.find(limits.back().ban->offences, "b", clock.wall()));
}

TEST_F(PathDescriptorLimits, AreSuspendedByAnOperator) {
  plan("10/hour");
  call_for("a");
  bans.add("plan", "a", minutes(10), clock.wall());
  EXPECT_THAT(call({user("a"), user("b")}), ElementsAre("OVER plan 10 left 0 wait 600", "OK"));
  EXPECT_EQ(x.ended_by, EndedBy::ban);
  clock.advance(minutes(10));
  EXPECT_THAT(call_for("a"), HasSubstr("OK plan 10"));
}

TEST_F(PathDescriptorLimits, TellTheLongestOfSeveralSuspensions) {
  plan("10/hour");
  call_for("a");
  bans.add("plan", "a", minutes(20), clock.wall());
  bans.add("plan", "b", minutes(10), clock.wall());
  call({user("a"), user("b")});
  EXPECT_EQ(told_field("Retry-After"), "1200");
  EXPECT_EQ(x.suspension.key, "a");
}

TEST_F(PathDescriptorLimits, OnlyNoteASuspensionInModeObserve) {
  auto& limit = plan("1/hour");
  limit.mode = limit::Mode::observe;
  bans_after(limit, 1);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(call_for("a"), "OK");
  EXPECT_EQ(metric(R"(headgate_ban_decisions_total{limit="plan",decision="observed"})"), "1");
}

TEST_F(PathDescriptorLimits, BillEachDescriptorOnce) {
  plan("10/hour").bill = true;
  RouteOptions other;
  matches(other, {{"user", "*"}, {"zone", "*"}});
  other.limits.emplace_back().limit = "plan";
  options.routes.push_back(other);
  call({user("a"), {.entries = {{"user", "a"}, {"zone", "1"}}}, {.entries = {{"user", "b"}}, .hits = 4}});
  EXPECT_EQ(bill(), (std::map<std::string, limit::Use>{{"plan a", {2, 2}}, {"plan b", {4, 1}}}));
}

TEST_F(PathDescriptorLimits, BillNothingForARejectedCallOrForHitsGivenBack) {
  plan("2/hour").bill = true;
  call({user("a"), user("b"), user("b")});
  bill();
  EXPECT_THAT(call({user("a"), user("b")}), ElementsAre(HasSubstr("OK"), HasSubstr("OVER")));
  EXPECT_THAT(bill(), IsEmpty());
  call({{.entries = {{"user", "b"}}, .hits = 1, .gives_back = true}});
  EXPECT_THAT(bill(), IsEmpty());
}

TEST_F(PathDescriptorLimits, BillWhatTheRedisOutageLetsThrough) {
  auto& limit = plan("10/hour", limit::Store::redis);
  limit.bill = true;
  limit.if_redis_down = limit::IfRedisDown::allow;
  redis->away = boost::asio::error::timed_out;
  EXPECT_EQ(call_for("a"), "OK");
  EXPECT_EQ(bill(), (std::map<std::string, limit::Use>{{"plan a", {1, 1}}}));
}

TEST_F(PathDescriptorLimits, OweAfterAnOutageWithSizesThatOneCallAloneHas) {
  constexpr int kSizes = 400;  // more than are kept
  matches(route, {{"quota", "*"}, {"user", "*"}});
  auto& limit = plan("2/hour", limit::Store::redis);
  limit.if_redis_down = limit::IfRedisDown::count_locally;
  limit.size_from = {.from = headgate::test::make_per("descriptor:quota"), .most = 1000, .burst = {}};
  redis->away = boost::asio::error::timed_out;
  for (int i = 1; i <= kSizes; ++i) {
    const auto number = std::to_string(i);
    EXPECT_THAT(call({{.entries = {{"quota", number}, {"user", "u" + number}}}}), ElementsAre(HasSubstr("OK")));
  }
  redis->away.reset();
  clock.advance(seconds(10));
  EXPECT_EQ(redis->charged.size(), std::size_t{kSizes});
}

TEST_F(PathDescriptorLimits, WithTwoSizesForOneKeyFollowTheSmaller) {
  matches(route, {{"tier", "*"}, {"user", "*"}});
  auto& limit = plan("2/hour");
  limit.tiers.front().name = "free";
  has_tier(limit, "pro", "50/hour");
  for (auto& tier : limit.tiers) limit::name_rule(tier.rules.front(), false, limit::PeriodInKey::no);
  for (const auto& [first, second] : {std::pair{"pro", "free"}, std::pair{"free", "pro"}}) {
    const std::vector<CalledDescriptor> both{{.entries = {{"tier", first}, {"user", first}}},
                                             {.entries = {{"tier", second}, {"user", first}}}};
    EXPECT_THAT(call(both), ElementsAre(HasSubstr("OK"), HasSubstr("OK"))) << "both hits fit two";
    EXPECT_THAT(call(both), testing::Contains(HasSubstr("OVER"))) << first;
  }
}

TEST_F(PathDescriptorLimits, GiveNothingBackIfALaterLimitRejectsTheCall) {
  plan("10/hour");
  RouteOptions other;
  matches(other, {{"path", "*"}});
  limits.emplace_back(limits.front());
  limits.back().name = "paths";
  limits.back().per = {headgate::test::make_per("descriptor:path")};
  limits.back().store = limit::Store::redis;
  limits.back().tiers.front().rules.front().limit = "paths";
  other.limits.emplace_back().limit = "paths";
  options.routes.push_back(other);
  call({{.entries = {{"user", "a"}}, .hits = 8}});
  redis->rejects = "paths";
  const CalledDescriptor back{.entries = {{"user", "a"}}, .hits = 2, .gives_back = true};
  const CalledDescriptor path{.entries = {{"path", "/a"}}};
  EXPECT_THAT(call({back, path}), ElementsAre("OK plan 10 left 2 wait 2880", HasSubstr("OVER paths")));
  EXPECT_THAT(call({user("a"), path}), ElementsAre("OK plan 10 left 2 wait 3240", HasSubstr("OVER paths")))
      << "the hit was given back";
  redis->rejects.clear();
  EXPECT_THAT(call({back, path}), ElementsAre("OK plan 10 left 4 wait 2160", HasSubstr("OK paths")));
}

TEST_F(PathDescriptorLimits, AreOverARateOfZero) {
  plan("10/hour");
  EXPECT_EQ(call({{.entries = {{"user", "a"}}, .rate = {{0, 3}}}, user("b")}).at(0), "OVER plan 0 left 0 wait 0");
  EXPECT_TRUE(over());
  EXPECT_THAT(call_for("b"), HasSubstr("OK plan 10 left 9"));
}

TEST_F(PathDescriptorLimits, LeaveNotices) {
  limit::NoticeInbox inbox;
  notices = &inbox;
  auto& limit = plan("4/hour");
  auto& rule = limit.tiers.front().rules.front();
  rule = headgate::test::make_rule("4/hour", 0, "plan", "fixed_window");
  limit::name_rule(rule, false, limit::PeriodInKey::no);
  limit.notify_at = {50, 100};
  call_for("a");
  EXPECT_THAT(inbox.take(), IsEmpty());
  call({user("b"), user("a")});
  const auto first = inbox.take();
  ASSERT_EQ(first.size(), 1U);
  EXPECT_EQ(first[0].key, "a");
  EXPECT_EQ(first[0].percent, 50U);
}

TEST_F(PathDescriptorLimits, NameTheRouteThatDecided) {
  plan("1/hour");
  RouteOptions other;
  matches(other, {{"path", "/a"}});
  options.routes.push_back(other);
  call_for("a");
  call({{.entries = {{"path", "/a"}}}, user("a")});
  EXPECT_EQ(x.route->name, "edge: user=*") << "the first descriptor has no limit";
  EXPECT_TRUE(counted(429));
  EXPECT_EQ(metric("headgate_requests_in_flight{route=\"edge: user=*\"}"), "0");
  EXPECT_EQ(metric("headgate_requests_in_flight{route=\"edge: path=/a\"}"), "0");
}

}  // namespace
}  // namespace headgate::gateway::test
