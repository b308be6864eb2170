// Suspensions: a key that offends too often is refused before anything is counted.

#include "unit/gateway/path/path.hpp"

namespace headgate::gateway::test {
namespace {

using std::chrono::minutes;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

class PathBans : public Path {
 protected:
  /// Suspends by the limit that was added last.
  limit::BanPolicy& bans_after(std::uint64_t offences, std::vector<unsigned> statuses = {}) {
    auto& limit = limits.back();
    auto& policy = limit.ban.emplace();
    policy.offences = headgate::test::make_rule(std::to_string(offences) + "/minute", 0, limit.name, "sliding_log");
    policy.statuses = std::move(statuses);
    policy.first = minutes(10);
    policy.longest = std::chrono::hours(24);
    return policy;
  }
  void again(std::string_view fields = {}) { gateway ? ask_again("GET /", fields) : check("GET /", fields); }
};

TEST_F(PathBans, RefuseAKeyAfterItsRejections) {
  in_memory("abuse", "1/hour");
  bans_after(2);
  again();
  EXPECT_EQ(client.status, 200U);
  again();
  again();
  EXPECT_EQ(client.status, 429U);
  EXPECT_EQ(x.ended_by, EndedBy::limit) << "the offence that suspends is still a rejection";
  again();
  EXPECT_EQ(client.status, 429U);
  EXPECT_EQ(x.ended_by, EndedBy::ban);
  EXPECT_EQ(client.fields["Retry-After"], "600");
  EXPECT_THAT(client.body, HasSubstr("\"limit\": \"abuse\""));
  EXPECT_THAT(trace.lines, Not(Contains(HasSubstr("memory")))) << "nothing is counted any more";
}

TEST_F(PathBans, AreToldInTheWordsOfTheFile) {
  in_memory("abuse", "1/hour");
  bans_after(1).detail = "Write to \"help\".";
  again();
  again();
  again();
  EXPECT_EQ(x.ended_by, EndedBy::ban);
  EXPECT_THAT(client.body, HasSubstr(R"("detail": "Write to \"help\".")"));
  EXPECT_EQ(client.fields["Retry-After"], "600");
}

TEST_F(PathBans, GetNoAnswerIfTheirPolicyClosesConnections) {
  in_memory("abuse", "1/hour");
  bans_after(1).closes = true;
  again();
  again();
  EXPECT_EQ(client.status, 429U) << "the rejection that begins it is told";
  again();
  ASSERT_TRUE(done);
  EXPECT_FALSE(client.started());
  EXPECT_EQ(x.ended_by, EndedBy::ban);
  EXPECT_TRUE(counted(444));
  EXPECT_EQ(metric(R"(headgate_ban_decisions_total{limit="abuse",decision="refused"})"), "1");
  const auto told = explain("GET /");
  EXPECT_EQ(told.status, 444U);
  EXPECT_EQ(told.ended_by, "ban");
  EXPECT_EQ(told.retry_after, 600U);
  EXPECT_EQ(besides(told, "gets_no_answer"), "true");
}

TEST_F(PathBans, CloseNoConnectionThatATrustedProxyShares) {
  identity.trusted_proxies = {boost::asio::ip::make_network_v4("192.0.2.7/32")};
  in_memory("abuse", "1/hour");
  bans_after(1).closes = true;
  for (const auto* const who : {"198.51.100.1", "198.51.100.1", "198.51.100.1"})
    again("X-Forwarded-For: " + std::string(who) + "\r\n");
  EXPECT_EQ(x.ended_by, EndedBy::ban);
  EXPECT_EQ(client.status, 429U);
  EXPECT_EQ(client.fields["Retry-After"], "600");
  version = 20;  // only its stream is reset
  again("X-Forwarded-For: 198.51.100.1\r\n");
  EXPECT_FALSE(client.started());
  again("X-Forwarded-For: 198.51.100.2\r\n");
  EXPECT_EQ(client.status, 200U);
}

TEST_F(PathBans, OfAnOperatorCloseAsThePolicyDoes) {
  in_memory("abuse", "100/hour");
  bans_after(5).closes = true;
  again();
  bans.add("abuse", "192.0.2.0/24", minutes(10), clock.wall());
  again();
  EXPECT_EQ(x.ended_by, EndedBy::ban);
  EXPECT_FALSE(client.started());
}

TEST_F(PathBans, AreToldByTheRejectionThatBeginsThem) {
  in_memory("abuse", "1/second");
  bans_after(2);
  again();
  again();
  EXPECT_EQ(client.fields["Retry-After"], "1") << "one offence suspends nobody";
  again();
  EXPECT_EQ(client.status, 429U);
  EXPECT_EQ(x.ended_by, EndedBy::limit);
  EXPECT_EQ(client.fields["Retry-After"], "600");
  EXPECT_THAT(client.fields["RateLimit"], HasSubstr(";t=600"));
  EXPECT_EQ(client.fields["X-RateLimit-Reset"],
            std::to_string(std::chrono::ceil<seconds>((clock.wall() + minutes(10)).time_since_epoch()).count()));
  EXPECT_THAT(client.body, HasSubstr("\"retry_after\": 600"));
  EXPECT_THAT(client.body, HasSubstr("10 minutes"));
}

TEST_F(PathBans, AreToldWhereRedisCountsTheOffences) {
  in_redis("abuse", "1/second");
  bans_after(1);
  other_redis = std::make_shared<StoredRedis>(clock, trace);
  again();
  again();
  EXPECT_EQ(x.ended_by, EndedBy::limit);
  EXPECT_EQ(client.fields["Retry-After"], "600");
}

TEST_F(PathBans, AreAnnouncedInDryRuns) {
  in_memory("abuse", "1/second");
  bans_after(1);
  again();
  for (int i = 0; i < 3; ++i) EXPECT_EQ(explain("GET /").retry_after, 600U) << "and none begins";
  again();
  EXPECT_EQ(x.ended_by, EndedBy::limit);
  EXPECT_EQ(client.fields["Retry-After"], "600");
  clock.advance(minutes(10));
  again();
  EXPECT_EQ(client.status, 200U);
  EXPECT_EQ(explain("GET /").retry_after, 1200U) << "the second one is longer";
}

TEST_F(PathBans, AreNotToldWhileTheyOnlyObserve) {
  in_memory("abuse", "1/second");
  in_memory("abuse2", "2/hour").mode = limit::Mode::observe;
  bans_after(1);
  again();
  again();
  again();
  EXPECT_EQ(client.status, 429U);
  EXPECT_EQ(client.fields["Retry-After"], "1");
}

TEST_F(PathBans, CountAnOffenceOnce) {
  in_memory("abuse", "1/hour");
  bans_after(3);
  for (int i = 0; i < 3; ++i) again();
  EXPECT_NE(client.fields["Retry-After"], "600") << "two offences";
  again();
  EXPECT_EQ(x.ended_by, EndedBy::limit) << "the third";
}

TEST_F(PathBans, EndWhenRetryAfterSays) {
  in_memory("abuse", "1/second");
  bans_after(1);
  again();
  again();
  again();
  ASSERT_EQ(x.ended_by, EndedBy::ban);
  clock.advance(minutes(10) - Duration(1));
  again();
  EXPECT_EQ(x.ended_by, EndedBy::ban);
  EXPECT_EQ(client.fields["Retry-After"], "1");
  clock.advance(Duration(1));
  again();
  EXPECT_EQ(client.status, 200U);
}

TEST_F(PathBans, LastTwiceAsLongForARepeatOffender) {
  in_memory("abuse", "1/second");
  bans_after(1);
  again();
  again();
  clock.advance(minutes(10));
  again();
  EXPECT_EQ(client.status, 200U);
  again();
  again();
  EXPECT_EQ(client.fields["Retry-After"], "1200");
}

TEST_F(PathBans, ForgetOffencesThatAreTooLongAgo) {
  in_memory("abuse", "1/hour");
  bans_after(3);
  for (int i = 0; i < 10; ++i) {
    again();
    EXPECT_NE(x.ended_by, EndedBy::ban) << i;
    clock.advance(seconds(30));
  }
}

TEST_F(PathBans, CountAnswersOfTheirStatuses) {
  in_memory("login", "1000/hour");
  bans_after(3, {401, 403}).status = 403;
  server.status = 200;
  for (int i = 0; i < 5; ++i) again();
  server.status = 401;
  for (int i = 0; i < 3; ++i) {
    again();
    EXPECT_EQ(client.status, 401U);
  }
  server.status = 200;
  again();
  EXPECT_EQ(client.status, 403U) << "the right password, too late";
  EXPECT_EQ(x.ended_by, EndedBy::ban);
  EXPECT_THAT(trace.lines, Not(Contains(HasSubstr("server")))) << "no server was asked";
}

TEST_F(PathBans, AreCheckedBeforeTheToken) {
  with_proof("proof", "1000/hour");
  in_memory("abuse", "1000/hour");
  bans_after(1, {401});
  again("Authorization: Bearer bad\r\n");
  EXPECT_EQ(client.status, 401U);
  again("Authorization: Bearer alice\r\n");
  EXPECT_EQ(x.ended_by, EndedBy::ban);
  EXPECT_THAT(trace.lines, Not(Contains(HasSubstr("token"))));
}

TEST_F(PathBans, OfAClaimAreCheckedAfterTheToken) {
  with_proof("proof", "1/hour");
  bans_after(1);
  again("Authorization: Bearer alice\r\n");
  again("Authorization: Bearer alice\r\n");
  again("Authorization: Bearer alice\r\n");
  EXPECT_EQ(x.ended_by, EndedBy::ban);
  again("Authorization: Bearer bob\r\n");
  EXPECT_EQ(client.status, 200U) << "another key";
}

TEST_F(PathBans, SpareTheExempt) {
  in_memory("abuse", "1/hour");
  bans_after(1);
  Exemption exemption;
  exemption.limit = "abuse";
  exemption.addresses.emplace_back(boost::asio::ip::make_network_v4("192.0.2.7/32"));
  options.exemptions.push_back(exemption);
  bans.add("abuse", "192.0.2.7", minutes(10), clock.wall());
  again();
  EXPECT_EQ(client.status, 200U);
}

TEST_F(PathBans, RefuseNobodyIfTheLimitObserves) {
  in_memory("abuse", "1/hour").mode = limit::Mode::observe;
  bans_after(1);
  for (int i = 0; i < 4; ++i) {
    again();
    EXPECT_EQ(client.status, 200U) << i;
  }
  ASSERT_EQ(bans.list(clock.wall()).size(), 1u) << "it says whom it would have suspended";
  EXPECT_TRUE(bans.list(clock.wall()).front().observed);
}

TEST_F(PathBans, OfALimitInRedisAreCountedThere) {
  in_redis("abuse", "1000/hour");
  bans_after(1, {404});
  server.status = 404;
  again();
  EXPECT_EQ(client.status, 404U);
  EXPECT_THAT(trace.lines, Contains(HasSubstr("redis abuse 1")).Times(testing::Ge(2)));
  EXPECT_THAT(redis->settled, Contains("abuse -1")) << "the count begins anew";
  again();
  EXPECT_EQ(x.ended_by, EndedBy::ban);
}

TEST_F(PathBans, AreCountedHereWhileRedisIsDown) {
  in_redis("abuse", "1000/hour").if_redis_down = limit::IfRedisDown::allow;
  bans_after(2, {404});
  redis->away = make_error_code(boost::system::errc::timed_out);
  server.status = 404;
  again();
  again();
  again();
  EXPECT_EQ(x.ended_by, EndedBy::ban);
}

TEST_F(PathBans, AreNoOffencesThemselves) {
  in_memory("abuse", "1/hour");
  bans_after(1, {429});
  bans.add("abuse", "192.0.2.7", seconds(5), clock.wall());
  for (int i = 0; i < 3; ++i) again();
  clock.advance(seconds(5));
  again();
  EXPECT_EQ(client.status, 200U);
}

TEST_F(PathBans, OfAnOperatorHoldUnderALimitThatSuspendsNobody) {
  in_memory("flood", "100/hour");
  again();
  ASSERT_EQ(client.status, 200U);
  bans.add("flood", "192.0.2.7", minutes(10), clock.wall());
  again();
  EXPECT_EQ(client.status, 429U);
  EXPECT_EQ(x.ended_by, EndedBy::ban);
  EXPECT_EQ(client.fields["Retry-After"], "600");
  EXPECT_THAT(client.body, HasSubstr("\"limit\": \"flood\""));
  EXPECT_EQ(x.suspension.key, "192.0.2.7");
  clock.advance(minutes(10));
  again();
  EXPECT_EQ(client.status, 200U);
}

TEST_F(PathBans, OfAnOperatorConcernNoOtherLimitAndNoOtherKey) {
  in_memory("flood", "100/hour");
  again();
  bans.add("other", "192.0.2.7", minutes(10), clock.wall());
  bans.add("flood", "192.0.2.8", minutes(10), clock.wall());
  again();
  EXPECT_EQ(client.status, 200U);
}

TEST_F(PathBans, OfABlockOfAddressesHoldForEachOfThem) {
  in_memory("flood", "100/hour");
  again();
  bans.add("flood", "192.0.3.0/24", minutes(10), clock.wall());
  bans.add("flood", "2001:db8::/32", minutes(10), clock.wall());
  again();
  EXPECT_EQ(client.status, 200U) << "another block of the same length";
  bans.add("flood", "192.0.0.0/22", minutes(10), clock.wall());
  again();
  EXPECT_EQ(x.ended_by, EndedBy::ban);
  EXPECT_EQ(x.suspension.key, "192.0.0.0/22");
  bans.lift("flood", "192.0.0.0/22", clock.wall());
  again();
  EXPECT_EQ(client.status, 200U);
}

TEST_F(PathBans, OfABlockHoldUnderALimitThatSuspendsByItself) {
  in_memory("abuse", "100/hour");
  auto& policy = bans_after(2);
  policy.status = 403;
  again();
  bans.add("abuse", "192.0.2.0/24", minutes(10), clock.wall());
  again();
  EXPECT_EQ(client.status, 403U);
  EXPECT_EQ(x.ended_by, EndedBy::ban);
}

TEST_F(PathBans, OfABlockObserveWhereTheLimitDoes) {
  in_memory("flood", "100/hour");
  limits.back().mode = limit::Mode::observe;
  again();
  bans.add("flood", "192.0.2.0/24", minutes(10), clock.wall());
  again();
  EXPECT_EQ(client.status, 200U);
  EXPECT_NE(x.suspension.by, nullptr);
}

}  // namespace
}  // namespace headgate::gateway::test
