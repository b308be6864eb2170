#include "../../../../src/gateway/limits/limit_fields.hpp"

#include "support/virtual_clock.hpp"

#include "headgate/gateway/request_id.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace headgate::gateway {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::seconds;

TEST(SecondsUp, RoundsUpAndIsNeverZero) {
  EXPECT_EQ(seconds_up(seconds(-5)), 1U);
  EXPECT_EQ(seconds_up(seconds(0)), 1U);
  EXPECT_EQ(seconds_up(microseconds(1)), 1U);
  EXPECT_EQ(seconds_up(seconds(1)), 1U);
  EXPECT_EQ(seconds_up(seconds(1) + microseconds(1)), 2U);
  EXPECT_EQ(seconds_up(milliseconds(59'001)), 60U);
  EXPECT_EQ(seconds_up(limit::kNever), 36'525U * 24 * 3600);
}

TEST(InWords, IsTwoUnitsOfWhichTheSmallerIsRoundedUp) {
  TextArena text;
  const auto words = [&](std::uint64_t wait) { return std::string(in_words(text, wait)); };
  EXPECT_EQ(words(1), "1 second");
  EXPECT_EQ(words(60), "60 seconds");
  EXPECT_EQ(words(119), "119 seconds");
  EXPECT_EQ(words(120), "2 minutes");
  EXPECT_EQ(words(121), "2 minutes and 1 second");
  EXPECT_EQ(words(7'199), "119 minutes and 59 seconds");
  EXPECT_EQ(words(7'201), "2 hours and 1 minute");
  EXPECT_EQ(words(86'400), "24 hours");
  EXPECT_EQ(words(777'480), "9 days") << "and not 8 days, 23 hours, 58 minutes";
  EXPECT_EQ(words(777'480 - 3600), "8 days and 23 hours");
  EXPECT_EQ(words(172'801), "2 days and 1 hour");
}

struct LimitFields : testing::Test {
  LimitFields() {
    tier.policy = policy;
    tier.labels = {"per-ip"};
    route_limit.ready = &ready;
    checked.route_limit = &route_limit;
    checked.tier = &tier;
    checked.count = 1;
    checked.asked_at_wall = now();
    x.admission.make_room(1);
    x.admission.binding = &checked;
    x.admission.outcome = Admission::Outcome::allowed;
    x.admission.decisions[0] = {
        .allowed = true, .limit = 10, .remaining = 7, .retry_after = seconds(0), .reset_after = milliseconds(2'500)};
  }
  std::string names(RejectionHeaders style) {
    fields.clear();
    append_limit_fields(x, style, status, fields);
    std::string out;
    for (const auto& field : fields) out += std::string(field.name) + " ";
    return out;
  }
  std::string value(std::string_view name) const { return std::string(http::value_of(fields, name)); }
  std::string policy = "\"per-ip\";q=10;w=60";
  unsigned status = 200;
  CompiledTier tier;
  CompiledLimit ready;
  RouteLimit route_limit;
  CheckedLimit checked;
  Exchange x;
  http::Fields fields;
};

TEST_F(LimitFields, OfALimitInFlightDoNotLookLikeARate) {
  ready.in_flight = true;
  EXPECT_EQ(names(RejectionHeaders::both), "RateLimit-Policy RateLimit ");
  EXPECT_EQ(value("RateLimit"), "\"per-ip\";r=7");
  EXPECT_EQ(names(RejectionHeaders::legacy), "");
}

TEST_F(LimitFields, FollowTheConfiguredStyle) {
  const std::string legacy = "X-RateLimit-Limit X-RateLimit-Remaining X-RateLimit-Reset ",
                    standard = "RateLimit-Policy RateLimit ";
  EXPECT_EQ(names(RejectionHeaders::both), legacy + standard);
  EXPECT_EQ(names(RejectionHeaders::legacy), legacy);
  EXPECT_EQ(names(RejectionHeaders::standard), standard);
  EXPECT_EQ(names(RejectionHeaders::none), "");
}

TEST_F(LimitFields, AreLeftOutIfNoLimitApplied) {
  x.admission.binding = nullptr;
  EXPECT_EQ(names(RejectionHeaders::both), "");
}

TEST_F(LimitFields, TellAnAllowedCallerWhenTheLimitIsFullAgain) {
  const auto before = now();
  (void)names(RejectionHeaders::both);
  EXPECT_EQ(value("X-RateLimit-Limit"), "10");
  EXPECT_EQ(value("X-RateLimit-Remaining"), "7");
  EXPECT_EQ(value("RateLimit-Policy"), policy);
  EXPECT_EQ(value("RateLimit"), "\"per-ip\";r=7;t=3");
  const auto reset = Instant(seconds(std::stoll(value("X-RateLimit-Reset"))));
  EXPECT_GE(reset, before + milliseconds(2'500)) << "rounded up";
  EXPECT_LT(reset, now() + milliseconds(3'500));
}

TEST_F(LimitFields, TellTheEndOfAWindowEvenIfTheAnswerTookLong) {
  const auto end = std::chrono::floor<seconds>(now()) - seconds(100);
  checked.asked_at_wall = end - microseconds(400'001);
  x.admission.decisions[0].reset_after = microseconds(400'001);
  (void)names(RejectionHeaders::both);
  EXPECT_EQ(value("X-RateLimit-Reset"), std::to_string(end.time_since_epoch().count()));
}

TEST_F(LimitFields, TellARejectedCallerWhenToComeBack) {
  x.admission.outcome = Admission::Outcome::rejected;
  x.admission.decisions[0] = {
      .allowed = false, .limit = 10, .remaining = 3, .retry_after = milliseconds(100), .reset_after = seconds(600)};
  (void)names(RejectionHeaders::both);
  EXPECT_EQ(value("X-RateLimit-Remaining"), "0") << "a cost of 4 was rejected; for the caller nothing is left";
  EXPECT_EQ(value("RateLimit"), "\"per-ip\";r=0;t=1");
  EXPECT_LT(Instant(seconds(std::stoll(value("X-RateLimit-Reset")))), now() + seconds(3));
}

TEST_F(LimitFields, LeaveOutAWaitThatDoesNotHelp) {
  x.admission.outcome = Admission::Outcome::rejected;
  x.admission.decisions[0] = {
      .allowed = false, .limit = 10, .remaining = 3, .retry_after = limit::kNever, .reset_after = seconds(60)};
  (void)names(RejectionHeaders::both);
  EXPECT_LT(Instant(seconds(std::stoll(value("X-RateLimit-Reset")))), now() + seconds(62));
}

TEST_F(LimitFields, TellNoTimeBesideARetryAfterThatIsNotTheirs) {
  const auto told = [&](unsigned answer) {
    fields = {{http::Known::retry_after, "Retry-After", "1"}};
    append_limit_fields(x, RejectionHeaders::standard, answer, fields);
    return value("RateLimit");
  };
  x.admission.decisions[0].reset_after = seconds(600);
  EXPECT_EQ(told(503), "\"per-ip\";r=7") << "a wait of one second would end before a window of ten minutes";
  x.admission.outcome = Admission::Outcome::rejected;
  x.admission.decisions[0].retry_after = seconds(600);
  EXPECT_EQ(told(429), "\"per-ip\";r=0;t=600") << "here both are of the limit";
}

TEST_F(LimitFields, AreAppended) {
  fields = {{http::Known::unknown, "X", "1"}};
  append_limit_fields(x, RejectionHeaders::legacy, 200, fields);
  EXPECT_EQ(fields.front().name, "X");
  EXPECT_EQ(fields.size(), 4U);
}

struct RequestId : testing::Test {
  RequestId() { x.clock = &clock; }
  std::string of(std::initializer_list<std::string_view> given) {
    x.request.fields.clear();
    for (const auto id : given) x.request.fields.push_back({http::Known::unknown, "x-request-ID", id});
    return std::string(ids.of(x));
  }
  headgate::test::VirtualClock clock;
  Random random{1};
  RequestIds ids{random};
  Exchange x;
};

TEST_F(RequestId, IsTheCallersIfItIsValid) {
  for (const auto& id : {std::string("a"), std::string("2f7a-_.Z"), std::string(128, 'x')}) EXPECT_EQ(of({id}), id);
}

TEST_F(RequestId, IsNewIfTheCallersIsInvalid) {
  for (const auto& id : {std::string(), std::string(129, 'x'), std::string("a b"), std::string("a\"b"),
                         std::string("a,b"), std::string("\xc3\xa9"), std::string("a/b"), std::string("a\tb")}) {
    const auto made = of({id});
    EXPECT_NE(made, id);
    EXPECT_EQ(made.size(), 16U);
    EXPECT_EQ(made.find_first_not_of("0123456789ABCDEFGHJKMNPQRSTVWXYZ"), std::string::npos) << made;
  }
  EXPECT_EQ(of({"a", "a"}).size(), 16U) << "two of them";
  EXPECT_EQ(of({}).size(), 16U);
}

TEST_F(RequestId, IsDifferentEachTime) {
  std::set<std::string> seen;
  for (int i = 0; i < 10'000; ++i) {
    x.text.clear();
    EXPECT_TRUE(seen.insert(of({})).second);
  }
}

}  // namespace
}  // namespace headgate::gateway
