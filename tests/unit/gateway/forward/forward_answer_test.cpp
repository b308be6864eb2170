// What of a server's answer its client gets.

#include "forward.hpp"

namespace headgate::gateway {
namespace {

using http::Known;
using test::Forward;

TEST_F(Forward, AddsDateToAnAnswerWithoutOne) {
  forward_reply(RejectionHeaders::none);
  EXPECT_EQ(sent("Date").size(), std::string_view("[Sun, 06 Nov 1994 08:49:37 GMT]").size()) << sent("Date");
  answer("Date", "Sun, 06 Nov 1994 08:49:37 GMT");
  forward_reply(RejectionHeaders::none);
  EXPECT_EQ(sent("Date"), "[Sun, 06 Nov 1994 08:49:37 GMT]");
  x.answer.fields.clear();
  x.answer.status = 103;
  forward_reply(RejectionHeaders::none);
  EXPECT_EQ(sent("Date"), "") << "an interim answer needs none";
}

TEST_F(Forward, KeepsNothingOfTheMessageBefore) {
  x.fields = {{Known::unknown, "X-Stale", "1"}};
  forward_request();
  EXPECT_EQ(sent("X-Stale"), "");
  forward_reply(RejectionHeaders::none);
  EXPECT_EQ(sent("X-Forwarded-For"), "");
}

TEST_F(Forward, ForwardsAnAnswerWithOurFields) {
  answer("Content-Type", "text/plain");
  answer("Set-Cookie", "a=1");
  answer("Set-Cookie", "b=2");
  answer("Connection", "close, x-hop");
  answer("X-Hop", "1");
  answer("X-Request-Id", "the server's");
  answer("Via", "1.1 inner");
  answer("Content-Length", "4");
  forward_reply(RejectionHeaders::both);
  EXPECT_EQ(sent("Content-Type"), "[text/plain]");
  EXPECT_EQ(sent("Set-Cookie"), "[a=1][b=2]");
  EXPECT_EQ(sent("X-Request-Id"), "[id-1]");
  EXPECT_EQ(sent("Via"), "[1.1 inner, 1.1 headgate]");
  for (const std::string_view name : {"Connection", "X-Hop", "Content-Length"}) EXPECT_EQ(sent(name), "") << name;
}

TEST_F(Forward, KeepsTheLengthInAnAnswerToHead) {
  answer("Content-Length", "1234");
  x.request.method = "HEAD";
  forward_reply(RejectionHeaders::none);
  EXPECT_EQ(sent("Content-Length"), "[1234]");
  x.request.method = "GET";
  x.answer.status = 304;
  forward_reply(RejectionHeaders::none);
  EXPECT_EQ(sent("Content-Length"), "[1234]");
}

TEST_F(Forward, DropsLimitFieldsOfTheServer) {
  CompiledTier tier;
  tier.policy = "ours";
  tier.labels = {"l"};
  CheckedLimit checked;
  checked.tier = &tier;
  const CompiledLimit ready;
  const RouteLimit route_limit{.limit = nullptr, .ready = &ready, .cost = {}};
  checked.route_limit = &route_limit;
  x.admission.make_room(1);
  x.admission.binding = &checked;
  x.admission.outcome = Admission::Outcome::allowed;
  x.admission.decisions[0] = {.allowed = true, .limit = 5, .remaining = 4, .retry_after = {}, .reset_after = {}};
  for (const std::string_view name :
       {"x-ratelimit-limit", "X-RateLimit-Remaining", "X-RateLimit-Reset", "RateLimit", "RateLimit-Policy",
        "RateLimit-Limit", "ratelimit-remaining", "RateLimit-Reset", "X-Rate-Limit-Limit", "X-Rate-Limit-Remaining",
        "x-rate-limit-reset", "X-RateLimit-Limit-Minute"})
    answer(name, "theirs");
  for (const std::string_view name : {"X-RateLimiter", "RateLimited", "X-Rate", "X-"}) answer(name, "another's");
  forward_reply(RejectionHeaders::both);
  EXPECT_EQ(sent("X-RateLimit-Limit"), "[5]");
  EXPECT_EQ(sent("RateLimit-Policy"), "[ours]");
  for (const auto& one : x.fields) EXPECT_NE(one.value, "theirs") << one.name;
  for (const std::string_view name : {"X-RateLimiter", "RateLimited", "X-Rate", "X-"})
    EXPECT_EQ(sent(name), "[another's]") << name;
  x.admission.binding = nullptr;
  forward_reply(RejectionHeaders::both);
  EXPECT_EQ(sent("X-RateLimit-Limit"), "[theirs]") << "where nothing of ours was counted";
}

TEST_F(Forward, NamesTheProtocolThatWasSwitchedTo) {
  x.answer.status = 101;
  answer("Upgrade", "websocket");
  answer("Sec-WebSocket-Accept", "x");
  forward_reply(RejectionHeaders::none);
  EXPECT_EQ(sent("Upgrade"), "[websocket]");
  EXPECT_EQ(sent("Sec-WebSocket-Accept"), "[x]");
}

}  // namespace
}  // namespace headgate::gateway
