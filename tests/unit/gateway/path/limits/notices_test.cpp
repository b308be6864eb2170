// Notices of quotas: which requests leave one, and with what.

#include "unit/gateway/path/path.hpp"

namespace headgate::gateway::test {
namespace {

using std::chrono::hours;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

class PathNotices : public Path {
 protected:
  PathNotices() {
    notices = &inbox;
    other_redis = stored;
    clock.advance(hours(1) - clock.wall().time_since_epoch() % hours(1));
  }

  limit::Limit& quota(const std::string& name, std::string_view rate, limit::Store store = limit::Store::memory) {
    auto& limit = limit_by("client_ip", name, rate, store);
    auto& rule = limit.tiers.front().rules.front();
    rule = headgate::test::make_rule(rate, 0, name, "fixed_window");
    limit::name_rule(rule, false, limit::PeriodInKey::no);
    limit.notify_at = {80, 100};
    return limit;
  }
  void again(int times = 1) {
    for (int i = 0; i < times; ++i) gateway ? ask_again("GET /") : check("GET /");
  }
  /// "plan 80 8/10"
  std::vector<std::string> left_notices() {
    std::vector<std::string> out;
    for (const auto& each : inbox.take())
      out.push_back(each.limit + ' ' + std::to_string(each.percent) + ' ' + std::to_string(each.used) + '/' +
                    std::to_string(each.size) + (each.rejected ? " rejected" : "") +
                    (each.observed ? " observed" : ""));
    return out;
  }

  limit::NoticeInbox inbox;
  std::shared_ptr<StoredRedis> stored = std::make_shared<StoredRedis>(clock, trace);
};

TEST_F(PathNotices, AreLeftByTheRequestThatReachesAPercentage) {
  quota("plan", "10/hour");
  again(7);
  EXPECT_THAT(left_notices(), IsEmpty());
  again();
  EXPECT_THAT(left_notices(), ElementsAre("plan 80 8/10"));
  again();
  EXPECT_THAT(left_notices(), IsEmpty()) << "it was left";
  again();
  EXPECT_THAT(left_notices(), ElementsAre("plan 100 10/10"));
  again(20);
  EXPECT_EQ(client.status, 429U);
  EXPECT_THAT(left_notices(), IsEmpty());
}

TEST_F(PathNotices, NameTheirRateKeyAndPeriod) {
  quota("plan", "1/hour", limit::Store::redis).notify_at = {50};
  again();
  const auto notices_left = inbox.take();
  ASSERT_EQ(notices_left.size(), 1U);
  const auto& notice = notices_left.front();
  EXPECT_EQ(notice.rate, "1/hour");
  EXPECT_EQ(notice.key, "192.0.2.7");
  EXPECT_EQ(notice.percent, 50U);
  EXPECT_EQ(notice.since, clock.wall() - clock.wall().time_since_epoch() % hours(1));
  EXPECT_EQ(notice.until, notice.since + hours(1));
  EXPECT_EQ(notice.store, limit::Store::redis);
}

TEST_F(PathNotices, AreLeftAgainAfterAWhileAsLongAsTheKeyHasRequests) {
  quota("plan", "10/hour");
  again(8);
  ASSERT_THAT(left_notices(), ElementsAre("plan 80 8/10"));
  clock.advance(seconds(4));
  again();
  EXPECT_THAT(left_notices(), IsEmpty());
  clock.advance(seconds(1));
  again();
  EXPECT_THAT(left_notices(), ElementsAre("plan 80 10/10", "plan 100 10/10"))
      << "whoever gets them knows which were told";
}

TEST_F(PathNotices, BeginAnewWithTheNextPeriod) {
  quota("plan", "2/second");
  again(2);
  ASSERT_THAT(left_notices(), ElementsAre("plan 80 2/2", "plan 100 2/2"));
  again();
  clock.advance(seconds(1));
  again(2);
  EXPECT_THAT(left_notices(), ElementsAre("plan 80 2/2", "plan 100 2/2"));
}

TEST_F(PathNotices, AreLeftByARejectionAlthoughSomeIsLeft) {
  quota("plan", "10/hour");
  route.limits.back().cost.default_value = 3;
  again(3);
  EXPECT_THAT(left_notices(), ElementsAre("plan 80 9/10"));
  again();
  EXPECT_EQ(client.status, 429U);
  EXPECT_THAT(left_notices(), ElementsAre("plan 100 9/10 rejected"));
}

TEST_F(PathNotices, AreNotLeftByACostThatNeverFits) {
  quota("plan", "10/hour");
  route.limits.back().cost.default_value = 11;
  again(3);
  EXPECT_EQ(client.status, 429U);
  EXPECT_THAT(left_notices(), IsEmpty());
}

TEST_F(PathNotices, AreNotLeftIfALaterLimitGivesThePermitBack) {
  quota("plan", "10/hour");
  limit_by("client_ip", "other", "1/hour", limit::Store::redis);
  again(30);
  EXPECT_EQ(client.status, 429U);
  EXPECT_EQ(left("plan"), 9U);
  EXPECT_THAT(left_notices(), IsEmpty());
}

TEST_F(PathNotices, AreNotLeftByALook) {
  quota("plan", "1/hour");
  explain("GET /");
  explain("GET /");
  EXPECT_THAT(left_notices(), IsEmpty());
}

TEST_F(PathNotices, KnowEachRateOfALimit) {
  auto& limit = quota("plan", "10/hour");
  auto rule = headgate::test::make_rule("5/second", 0, "plan", "fixed_window");
  limit::name_rule(rule, true, limit::PeriodInKey::no);
  limit.tiers.front().rules.push_back(rule);
  again(4);
  EXPECT_THAT(left_notices(), ElementsAre("plan 80 4/5"));
  clock.advance(seconds(1));
  again(4);
  EXPECT_THAT(left_notices(), ElementsAre("plan 80 8/10", "plan 80 4/5"));
}

TEST_F(PathNotices, CountWhatOnlyTheAnswerCosts) {
  quota("plan", "100/hour");
  settles(1);
  server.fields = {{http::Known::unknown, "Cost", "79"}};
  again();
  EXPECT_THAT(left_notices(), IsEmpty());
  server.fields = {{http::Known::unknown, "Cost", "4"}};
  again();
  EXPECT_THAT(left_notices(), ElementsAre("plan 80 83/100"));
}

TEST_F(PathNotices, AreNotLeftByAHoldThatIsGivenBack) {
  quota("plan", "100/hour");
  settles(90);
  server.fields = {{http::Known::unknown, "Cost", "2"}};
  again();
  EXPECT_THAT(left_notices(), IsEmpty());
  server.fields.clear();
  server.status = 503;
  again();
  EXPECT_THAT(left_notices(), IsEmpty()) << "a failure of the server costs nothing";
}

TEST_F(PathNotices, AreNotLeftByAnswersThatDoNotCount) {
  quota("login", "5/hour").counted_statuses = {401};
  again(20);
  EXPECT_THAT(left_notices(), IsEmpty());
  server.status = 401;
  again(4);
  EXPECT_THAT(left_notices(), ElementsAre("login 80 4/5"));
}

TEST_F(PathNotices, SayNothingOfAPeriodThatIsOverWhenTheAnswerComes) {
  quota("plan", "100/second");
  settles(1);
  server.fields = {{http::Known::unknown, "Cost", "90"}};
  server.head_after = seconds(2);
  again();
  clock.advance(seconds(3));
  ASSERT_TRUE(done);
  EXPECT_THAT(left_notices(), IsEmpty()) << "the rest is charged to a later second";
}

TEST_F(PathNotices, SayThatALimitOnlyObserves) {
  quota("plan", "1/hour").mode = limit::Mode::observe;
  again(2);
  EXPECT_EQ(client.status, 200U);
  EXPECT_THAT(left_notices(), ElementsAre("plan 80 1/1 observed", "plan 100 1/1 observed"));
}

TEST_F(PathNotices, ComeFromRedisAndNotFromWhatIsCountedWhileItIsAway) {
  quota("plan", "10/hour", limit::Store::redis);
  again(7);
  stored->away = true;
  again(10);
  EXPECT_EQ(client.status, 200U);
  EXPECT_THAT(left_notices(), IsEmpty()) << "this gateway's share began anew";
  stored->away = false;
  again();
  EXPECT_THAT(left_notices(), ElementsAre("plan 80 10/10 rejected", "plan 100 10/10 rejected"))
      << "what was let through was charged first";
}

TEST_F(PathNotices, AreKeptForLaterIfTheInboxIsFull) {
  quota("plan", "10/hour");
  while (inbox.put({})) continue;
  again(8);
  inbox.take();
  again();
  EXPECT_THAT(left_notices(), ElementsAre("plan 80 9/10"));
}

TEST_F(PathNotices, CostNothingIfNoLimitAsksForThem) {
  quota("plan", "1/hour").notify_at.clear();
  again(3);
  EXPECT_THAT(left_notices(), IsEmpty());
  EXPECT_FALSE(x.route->takes(Step::notices));
}

}  // namespace
}  // namespace headgate::gateway::test
