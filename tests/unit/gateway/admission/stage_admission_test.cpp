// How the limits of one stage admit a request: each event and what is needed next. No coroutine runs here.

#include "../../../../src/gateway/admission/stage_admission.hpp"

#include "../../../../src/gateway/limits/appointments.hpp"
#include "support/per.hpp"
#include "support/upstreams.hpp"
#include "unit/gateway/path/limiters.hpp"

#include "headgate/limit/in_flight.hpp"

#include <boost/smart_ptr/make_local_shared.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace headgate::gateway::test {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;
using testing::ElementsAre;
using testing::IsEmpty;
using Next = StageAdmission::Next;

/// Somebody else who waits for the same permits.
struct OtherMember final : shed::WaitQueues::Member {
  void its_turn() noexcept override {}
};

/// One route with the limits of the test.
class AtAStage : public testing::Test {
 protected:
  ~AtAStage() override {
    x.reset();
    second.reset();
    if (path) path->stop();
  }

  limit::Limit& limit_of(const std::string& name, std::string_view rate, limit::Store store = limit::Store::redis) {
    auto& limit = limits.emplace_back();
    limit.name = name;
    limit.per = {headgate::test::make_per("client_ip")};
    limit.store = store;
    limit.if_redis_down = limit::IfRedisDown::count_locally;
    auto& rule = limit.tiers.emplace_back().rules.emplace_back(headgate::test::make_rule(rate, 0, name));
    limit::name_rule(rule, false, limit::PeriodInKey::no);
    route.limits.emplace_back().limit = name;
    return limit;
  }
  /// One request at a time; others wait for two seconds, so many of them.
  limit::Limit& one_at_a_time(limit::Store store, std::uint32_t queue = 10) {
    auto& limit = limit_of("flights", "1/hour", store);
    auto& rule = limit.tiers.front().rules.front();
    rule.algorithm = &limit::in_flight;
    rule.burst = 1;
    rule.rate = {1, limit::kFlightLease};
    rule.wait = seconds(2);
    rule.queue = queue;
    limit::name_rule(rule, false, limit::PeriodInKey::no);
    return limit;
  }
  void compile() {
    route.path = "/*";
    route.to = "app";
    options.routes = {route};
    Snapshot first;
    first.compiled = std::make_shared<const CompiledConfig>(options, identity::IdentityOptions(), limits,
                                                            headgate::test::upstreams({"app"}), 1);
    first.redis = redis;
    first.counters = std::make_shared<const ExchangeCounters>(registry, observe::Writer{0}, *first.compiled);
    identity::Credentials credentials{std::make_shared<const identity::ApiKeys>(), {}, {}};
    first.credentials = std::make_shared<const ActiveCredentials>(
        *first.compiled, std::make_shared<const identity::Credentials>(std::move(credentials)));
    path.emplace(Services{clock, random, memory, access_log, bans, rooms, flights},
                 boost::make_local_shared<const Snapshot>(std::move(first)));
    for (auto* const each : {&x, &second}) {
      each->snapshot = path->snapshot;
      each->route = path->snapshot->compiled->routes().front().get();
      each->clock = &clock;
      each->random = &random;
      each->caller.ip_key = "192.0.2.7";
    }
  }
  /// Redis decides all checks alike.
  static Next say(StageAdmission& admission, bool agreed) {
    for (auto& decision : admission.decisions())
      decision = {.allowed = agreed, .limit = 1, .retry_after = agreed ? Duration(0) : Duration(seconds(7))};
    return admission.redis_said(agreed);
  }
  static Next say_nothing(StageAdmission& admission) {
    return admission.redis_said(Result<bool>(boost::system::in_place_error, make_error_code(error::timed_out)));
  }
  void owe(Duration longer) { redis->others_owe_until = clock.steady() + longer; }
  /// Another request of this caller takes all of this gateway's share of a limit of one request.
  void use_up_share() {
    owe(minutes(1));
    StageAdmission other(*path, second, Stage::redis);
    ASSERT_EQ(other.begin(), Next::ask);
    ASSERT_EQ(say(other, true), Next::done);
    owe(Duration(0));
    trace.lines.clear();
  }
  limit::Check permit() const { return headgate::test::make_check(limits.front().tiers.front().rules.front(), kKey); }
  void take_permit() {
    limit::Decision decision;
    const auto check = permit();
    memory.store().decide({&check, 1}, clock.wall(), {&decision, 1});
    ASSERT_TRUE(decision.allowed);
  }

  static constexpr std::string_view kKey = "192.0.2.7";
  headgate::test::VirtualClock clock;
  Trace trace;
  Random random{1};
  PathOptions options;
  RouteOptions route;
  std::vector<limit::Limit> limits;
  observe::Registry registry;
  HeardMemory memory{trace};
  observe::AccessLog access_log;
  limit::BanTable bans;
  room::MemoryRooms rooms;
  shed::WaitQueues flights;
  std::shared_ptr<ScriptedRedis> redis = std::make_shared<ScriptedRedis>(clock, trace);
  std::optional<gateway::Path> path;
  Exchange x;
  Exchange second;
};

TEST_F(AtAStage, OneCallToRedisDecides) {
  limit_of("shared", "1/hour");
  compile();
  StageAdmission admission(*path, x, Stage::redis);
  ASSERT_EQ(admission.begin(), Next::ask);
  ASSERT_EQ(admission.checks().size(), 1U);
  EXPECT_EQ(admission.checks()[0].key, kKey);
  EXPECT_EQ(say(admission, true), Next::done);
  EXPECT_FALSE(admission.problem());
  EXPECT_EQ(x.admission.outcome, Admission::Outcome::allowed);
  EXPECT_THAT(trace.lines, IsEmpty()) << "nothing is counted here";
}

TEST_F(AtAStage, InMemoryNobodyIsAsked) {
  limit_of("plan", "1/hour", limit::Store::memory);
  compile();
  StageAdmission admission(*path, x, Stage::memory);
  EXPECT_EQ(admission.begin(), Next::done);
  EXPECT_FALSE(admission.problem());
  StageAdmission other(*path, second, Stage::memory);
  EXPECT_EQ(other.begin(), Next::done);
  ASSERT_TRUE(other.problem());
  EXPECT_EQ(other.problem()->limit, "plan");
}

TEST_F(AtAStage, ARejectionGivesBackWhatEarlierStagesTook) {
  limit_of("plan", "9/hour", limit::Store::memory);
  limit_of("shared", "1/hour");
  compile();
  StageAdmission first(*path, x, Stage::memory);
  ASSERT_EQ(first.begin(), Next::done);
  StageAdmission admission(*path, x, Stage::redis);
  ASSERT_EQ(admission.begin(), Next::ask);
  EXPECT_EQ(say(admission, false), Next::done);
  ASSERT_TRUE(admission.problem());
  EXPECT_EQ(admission.problem()->limit, "shared");
  EXPECT_EQ(admission.problem()->retry_after, 7U);
  EXPECT_THAT(trace.lines, ElementsAre("memory plan 1", "give-back plan 1"));
}

TEST_F(AtAStage, DuringTheRecoveryTheShareOfThisGatewayIsTakenAsWell) {
  limit_of("shared", "1/hour");
  compile();
  owe(minutes(1));
  StageAdmission admission(*path, x, Stage::redis);
  ASSERT_EQ(admission.begin(), Next::ask);
  EXPECT_THAT(trace.lines, ElementsAre("memory shared 1"));
  EXPECT_EQ(say(admission, true), Next::done);
  EXPECT_THAT(trace.lines, ElementsAre("memory shared 1"));
  StageAdmission other(*path, second, Stage::redis);
  EXPECT_EQ(other.begin(), Next::done) << "without asking Redis";
  ASSERT_TRUE(other.problem());
  EXPECT_EQ(other.problem()->limit, "shared");
}

TEST_F(AtAStage, TheShareComesBackIfRedisRejects) {
  limit_of("shared", "1/hour");
  compile();
  owe(minutes(1));
  StageAdmission admission(*path, x, Stage::redis);
  ASSERT_EQ(admission.begin(), Next::ask);
  EXPECT_EQ(say(admission, false), Next::done);
  EXPECT_TRUE(admission.problem());
  EXPECT_THAT(trace.lines, ElementsAre("memory shared 1", "give-back shared 1"));
}

TEST_F(AtAStage, AShareThatIsCheckedLateMayRejectWhatRedisAllowed) {
  limit_of("shared", "1/hour");
  compile();
  use_up_share();
  StageAdmission admission(*path, x, Stage::redis);
  ASSERT_EQ(admission.begin(), Next::ask);
  EXPECT_THAT(trace.lines, IsEmpty());
  owe(minutes(1));
  EXPECT_EQ(say(admission, true), Next::done);
  ASSERT_TRUE(admission.problem());
  EXPECT_EQ(admission.problem()->limit, "shared");
  EXPECT_THAT(redis->settled, ElementsAre("shared -1"));
}

TEST_F(AtAStage, WithoutAnAnswerTheShareCountsAlone) {
  limit_of("shared", "1/hour");
  compile();
  for (auto* const each : {&x, &second}) {
    StageAdmission admission(*path, *each, Stage::redis);
    ASSERT_EQ(admission.begin(), Next::ask);
    EXPECT_EQ(say_nothing(admission), Next::done);
    EXPECT_EQ(admission.problem().has_value(), each == &second);
    ASSERT_EQ(each->admission.limits.size(), 1U);
    EXPECT_EQ(each->admission.limits[0].source, observe::Source::fallback);
  }
}

TEST_F(AtAStage, WithoutAnAnswerALimitMayRejectAll) {
  limit_of("shared", "1/hour").if_redis_down = limit::IfRedisDown::reject;
  compile();
  StageAdmission admission(*path, x, Stage::redis);
  ASSERT_EQ(admission.begin(), Next::ask);
  EXPECT_EQ(say_nothing(admission), Next::done);
  ASSERT_TRUE(admission.problem());
  EXPECT_EQ(admission.problem()->status, 503U);
}

TEST_F(AtAStage, AnAppointmentThatWasUsedBeforeCountsNoMoreAndRedisIsAskedAgain) {
  limit_of("shared", "1/hour").appointments = {minutes(5), seconds(10)};
  compile();
  const auto& checked = x.route->limits_at(Stage::redis).front();
  x.appointments.kept = std::make_shared<KeptAppointment>(
      KeptAppointment{.appointment = {}, .of = &checked, .use = limit::use_of({}, checked.ready->tiers[0].rules[0])});
  StageAdmission admission(*path, x, Stage::redis);
  ASSERT_EQ(admission.begin(), Next::ask);
  ASSERT_EQ(admission.checks().size(), 1U);
  EXPECT_EQ(admission.checks()[0].rule, &x.appointments.kept->use);
  EXPECT_EQ(say(admission, false), Next::ask);
  EXPECT_TRUE(x.appointments.kept->used);
  ASSERT_EQ(admission.checks().size(), 1U);
  EXPECT_EQ(admission.checks()[0].rule, &checked.ready->tiers[0].rules[0]);
  EXPECT_EQ(say(admission, true), Next::done);
  EXPECT_FALSE(admission.problem());
}

TEST_F(AtAStage, ARejectedRequestIsOfferedAnAppointment) {
  limit_of("shared", "1/hour").appointments = {minutes(5), seconds(10)};
  compile();
  StageAdmission admission(*path, x, Stage::redis);
  ASSERT_EQ(admission.begin(), Next::ask);
  EXPECT_EQ(say(admission, false), Next::offer);
  EXPECT_EQ(admission.offered(), Next::done);
  EXPECT_TRUE(admission.problem());
}

TEST_F(AtAStage, AnotherShardIsAskedIfOneRejects) {
  limit_of("shared", "80/hour").shards = 4;
  compile();
  StageAdmission admission(*path, x, Stage::redis);
  ASSERT_EQ(admission.begin(), Next::ask);
  const std::string first(admission.checks()[0].key);
  ASSERT_EQ(say(admission, false), Next::ask);
  EXPECT_NE(admission.checks()[0].key, first);
  EXPECT_EQ(say(admission, true), Next::done);
  EXPECT_FALSE(admission.problem());
}

TEST_F(AtAStage, ARejectionOfAShardStaysIfTheNextOneDoesNotAnswer) {
  limit_of("shared", "80/hour").shards = 4;
  compile();
  StageAdmission admission(*path, x, Stage::redis);
  ASSERT_EQ(admission.begin(), Next::ask);
  ASSERT_EQ(say(admission, false), Next::ask);
  EXPECT_EQ(say_nothing(admission), Next::done);
  ASSERT_TRUE(admission.problem());
  EXPECT_EQ(admission.problem()->status, 429U) << "and no 503";
}

TEST_F(AtAStage, AShardThatIsKnownToRejectIsPassedOver) {
  limit_of("shared", "80/hour").shards = 2;
  compile();
  redis->known = redis->spent = {"192.0.2.7#1", "192.0.2.7#2"};
  StageAdmission admission(*path, x, Stage::redis);
  ASSERT_EQ(admission.begin(), Next::ask);
  EXPECT_EQ(say(admission, false), Next::done);
  EXPECT_TRUE(admission.problem());
}

TEST_F(AtAStage, ARejectedRequestWaitsForItsTurnAndTakesNothingMeanwhile) {
  one_at_a_time(limit::Store::redis);
  compile();
  Turn turn(*path->turns, x);
  StageAdmission admission(*path, x, Stage::redis, RoundPart::all, &turn);
  ASSERT_EQ(admission.begin(), Next::ask);
  EXPECT_EQ(say(admission, false), Next::wait);
  EXPECT_EQ(x.admission.outcome, Admission::Outcome::none);
  EXPECT_THAT(x.admission.limits, IsEmpty());
  ASSERT_EQ(admission.turn_came(), Next::ask);
  EXPECT_EQ(say(admission, true), Next::done);
  EXPECT_FALSE(admission.problem());
  EXPECT_EQ(x.admission.outcome, Admission::Outcome::allowed);
}

TEST_F(AtAStage, TheWaitEndsWithARejection) {
  one_at_a_time(limit::Store::redis);
  compile();
  Turn turn(*path->turns, x);
  StageAdmission admission(*path, x, Stage::redis, RoundPart::all, &turn);
  ASSERT_EQ(admission.begin(), Next::ask);
  ASSERT_EQ(say(admission, false), Next::wait);
  clock.advance(seconds(2));
  ASSERT_EQ(admission.turn_came(), Next::ask);
  EXPECT_EQ(say(admission, false), Next::done);
  ASSERT_TRUE(admission.problem());
  EXPECT_EQ(admission.problem()->limit, "flights");
}

TEST_F(AtAStage, NobodyIsAskedForARequestWhoseClientIsGone) {
  one_at_a_time(limit::Store::redis);
  compile();
  Turn turn(*path->turns, x);
  StageAdmission admission(*path, x, Stage::redis, RoundPart::all, &turn);
  ASSERT_EQ(admission.begin(), Next::ask);
  ASSERT_EQ(say(admission, false), Next::wait);
  x.client_gone = true;
  EXPECT_EQ(admission.turn_came(), Next::done);
  EXPECT_FALSE(admission.problem());
}

TEST_F(AtAStage, RedisIsNotAskedBehindOthersOfThisGateway) {
  one_at_a_time(limit::Store::redis);
  compile();
  OtherMember other;
  flights.join(other, permit().hash, 10);
  {
    Turn turn(*path->turns, x);
    StageAdmission admission(*path, x, Stage::redis, RoundPart::all, &turn);
    EXPECT_EQ(admission.begin(), Next::wait);
  }
  flights.leave(other);
}

TEST_F(AtAStage, AlsoInMemoryAPermitIsWaitedFor) {
  one_at_a_time(limit::Store::memory);
  compile();
  take_permit();
  Turn turn(*path->turns, x);
  StageAdmission admission(*path, x, Stage::memory, RoundPart::all, &turn);
  ASSERT_EQ(admission.begin(), Next::wait);
  const auto check = permit();
  memory.store().give_back({&check, 1}, clock.wall());
  EXPECT_EQ(admission.turn_came(), Next::done);
  EXPECT_FALSE(admission.problem());
  EXPECT_EQ(x.admission.outcome, Admission::Outcome::allowed);
}

TEST_F(AtAStage, BehindAFullQueueAFreePermitIsNotTaken) {
  one_at_a_time(limit::Store::memory, 1);
  compile();
  OtherMember other;
  flights.join(other, permit().hash, 1);
  {
    Turn turn(*path->turns, x);
    StageAdmission admission(*path, x, Stage::memory, RoundPart::all, &turn);
    EXPECT_EQ(admission.begin(), Next::done);
    EXPECT_TRUE(admission.problem());
  }
  flights.leave(other);
  take_permit();
}

TEST_F(AtAStage, ForACandidateNothingIsCountedInPlaceOfRedis) {
  limit_of("shared", "1/hour").appointments = {minutes(5), seconds(10)};
  compile();
  owe(minutes(1));
  StageAdmission admission(*path, x, Stage::redis, RoundPart::all, nullptr, AdmitFor::candidate);
  ASSERT_EQ(admission.begin(), Next::ask);
  EXPECT_EQ(say_nothing(admission), Next::failed);
  EXPECT_THAT(x.admission.limits, IsEmpty());
  StageAdmission other(*path, second, Stage::redis, RoundPart::all, nullptr, AdmitFor::candidate);
  ASSERT_EQ(other.begin(), Next::ask);
  EXPECT_EQ(say(other, false), Next::done) << "no appointment is offered";
  EXPECT_TRUE(other.problem());
  EXPECT_THAT(trace.lines, IsEmpty());
}

}  // namespace
}  // namespace headgate::gateway::test
