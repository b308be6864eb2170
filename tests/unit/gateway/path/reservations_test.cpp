// Decisions that a second call settles.

#include "unit/gateway/path/path.hpp"

#include "headgate/identity/network.hpp"
#include "headgate/limit/use_sheet.hpp"

namespace headgate::gateway::test {
namespace {

using std::chrono::minutes;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

/// A listener for Traefik whose decisions are settled within five minutes.
class PathReservations : public Path {
 protected:
  PathReservations() {
    identity.trusted_proxies = {*identity::parse_network("192.0.2.0/24")};
    route.path = "/api/*";
    asked_by = net::AskingProxy::traefik;
    settle_within = minutes(5);
  }
  void send(std::string_view start_line, const std::string& fields, const std::string& text = {}) {
    if (gateway != nullptr) {
      x.reset();
      client.forget();
    }
    check(start_line, fields, text.empty() ? std::deque<Piece>{} : std::deque<Piece>{{text, Duration(0), {}}});
    clock.advance(Duration(0));
    ASSERT_TRUE(done);
  }
  /// Asks about a request of this address, and returns the reservation; "" if there is none.
  std::string reserve(const std::string& address = "192.0.2.7") {
    send("GET /", "X-Forwarded-For: " + address +
                      "\r\nX-Forwarded-Method: GET\r\nX-Forwarded-Uri: /api/a\r\nX-Forwarded-Host: a.example\r\n");
    return client.fields["X-Headgate-Reservation"];
  }
  /// Sends a body to /settle, and returns the status.
  unsigned settle(const std::string& body) {
    send("POST /settle", "Content-Length: " + std::to_string(body.size()) + "\r\n", body);
    return client.status;
  }
  unsigned use(const std::string& reservation, int tokens) {
    return settle(R"({"reservation": ")" + reservation + R"(", "used": {"tokens": )" + std::to_string(tokens) + "}}");
  }
  unsigned cancel(const std::string& reservation) {
    return settle(R"({"reservation": ")" + reservation + R"(", "cancel": true})");
  }
  std::string ended(const std::string& how) { return metric("headgate_reservations_total{end=\"" + how + "\"}"); }
  std::string open() { return metric("headgate_reservations_open{worker=\"0\"}"); }
};

/// The limit "tokens", of which each decision holds 100.
class PathReservedTokens : public PathReservations {
 protected:
  PathReservedTokens() {
    limit_by("client_ip", "tokens", "1000/day").unit = limit::Unit::token;
    settles(100);
  }
};

TEST_F(PathReservedTokens, AreHeldByTheDecisionAndChargedByTheCall) {
  const auto id = reserve();
  ASSERT_EQ(client.status, 200U);
  EXPECT_THAT(id, testing::SizeIs(49));
  EXPECT_EQ(x.reservation, id) << "in the log";
  EXPECT_EQ(left("tokens"), 900U);
  EXPECT_EQ(open(), "1");
  EXPECT_EQ(metric("headgate_limit_held_units{limit=\"tokens\",worker=\"0\"}"), "100");
  EXPECT_EQ(use(id, 40), 204U) << client.body;
  EXPECT_EQ(x.reservation, id);
  EXPECT_EQ(left("tokens"), 960U);
  EXPECT_EQ(open(), "0");
  EXPECT_EQ(ended("used"), "1");
  EXPECT_EQ(metric("headgate_limit_held_units{limit=\"tokens\",worker=\"0\"}"), "0");
  EXPECT_EQ(metric("headgate_limit_settled_units_total{limit=\"tokens\",said=\"reported\"}"), "40");
}

TEST_F(PathReservedTokens, AreChargedBeyondTheHoldUpToTheLargestCost) {
  EXPECT_EQ(use(reserve(), 300), 204U);
  EXPECT_EQ(left("tokens"), 700U);
  EXPECT_EQ(use(reserve(), 5000), 204U);
  EXPECT_EQ(left("tokens"), 0U) << "at most `most`, and at most what is left";
}

TEST_F(PathReservedTokens, AreSettledOnce) {
  const auto id = reserve();
  EXPECT_EQ(use(id, 40), 204U);
  EXPECT_EQ(use(id, 10), 404U);
  EXPECT_EQ(cancel(id), 404U);
  EXPECT_THAT(client.body, HasSubstr("There is no open reservation with this id"));
  EXPECT_EQ(left("tokens"), 960U);
}

TEST_F(PathReservedTokens, CostTheHoldIfTheCallDoesNotNameThem) {
  EXPECT_EQ(settle(R"({"used": {}, "reservation": ")" + reserve() + "\"}"), 204U);
  EXPECT_EQ(left("tokens"), 900U);
  EXPECT_EQ(metric("headgate_limit_settled_units_total{limit=\"tokens\",said=\"held\"}"), "100");
}

TEST_F(PathReservedTokens, AndFixedCostsComeBackWhenTheReservationIsCancelled) {
  in_memory("requests", "10/day");
  const auto id = reserve();
  EXPECT_EQ(left("requests"), 9U);
  EXPECT_EQ(cancel(id), 204U);
  EXPECT_EQ(left("tokens"), 1000U);
  EXPECT_EQ(left("requests"), 10U);
  EXPECT_EQ(ended("cancelled"), "1");
}

TEST_F(PathReservedTokens, StayChargedWhenTheReservationEndsByItself) {
  const auto first = reserve();
  clock.advance(minutes(4));
  const auto second = reserve();
  clock.advance(minutes(1));
  EXPECT_EQ(ended("expired"), "1") << "each ends after its own time";
  EXPECT_EQ(open(), "1");
  EXPECT_EQ(use(first, 40), 404U);
  EXPECT_EQ(left("tokens"), 803U) << "1000 - 2 * 100, and 3 that the bucket refills in five minutes";
  clock.advance(minutes(4));
  EXPECT_EQ(ended("expired"), "2");
  EXPECT_EQ(cancel(second), 404U);
  EXPECT_EQ(metric("headgate_limit_held_units{limit=\"tokens\",worker=\"0\"}"), "0");
}

TEST_F(PathReservedTokens, ComeBackIfTheDecisionCannotBeSent) {
  client.takes = 0;
  EXPECT_NE(reserve(), "") << "it was written, and nobody has read it";
  EXPECT_EQ(x.ended_by, EndedBy::client_closed);
  EXPECT_EQ(left("tokens"), 1000U);
  EXPECT_EQ(open(), "0");
}

TEST_F(PathReservedTokens, SurviveAReload) {
  const auto id = reserve();
  reload();
  EXPECT_EQ(use(id, 40), 204U);
  EXPECT_EQ(left("tokens"), 960U);
}

TEST_F(PathReservedTokens, AreChargedWhenTheGatewayStops) {
  const auto id = reserve();
  gateway->stop();
  EXPECT_EQ(ended("expired"), "1");
  EXPECT_EQ(use(id, 40), 404U);
  EXPECT_EQ(left("tokens"), 900U);
}

TEST_F(PathReservedTokens, AreNotHeldForADecisionThatRefuses) {
  route.respond = Respond{.status = 403, .body = "no", .content_type = "text/plain"};
  EXPECT_EQ(reserve(), "");
  EXPECT_EQ(client.status, 403U);
  EXPECT_EQ(left("tokens"), 1000U);
}

TEST_F(PathReservedTokens, AreBilledOnceTheyAreSettled) {
  limits.back().bill = true;
  options.billing_days =
      std::make_shared<const limit::Calendar>(limit::Calendar::Unit::day, "UTC", std::vector<limit::ZoneOffset>());
  const auto id = reserve();
  EXPECT_TRUE(sheet.take().days.empty());
  EXPECT_EQ(use(id, 40), 204U);
  EXPECT_EQ(sheet.take().days.size(), 1U);
  cancel(reserve());
  EXPECT_TRUE(sheet.take().days.empty());
}

TEST_F(PathReservedTokens, AreNotChangedByACallThatIsMalformed) {
  const auto id = reserve();
  const auto with = [&](const std::string& rest) { return R"({"reservation": ")" + id + "\"" + rest; };
  for (const auto& body : {std::string("{}"),
                           std::string("[]"),
                           std::string("no"),
                           with(""),
                           with("}"),
                           with(", }"),
                           with(R"(, "used": {"tokens": -1}})"),
                           with(R"(, "used": {"tokens": 1.5}})"),
                           with(R"(, "used": {"tokens": 1e3}})"),
                           with(R"(, "used": {"tokens": 10000000000001}})"),
                           with(R"(, "used": {"tokens": 99999999999999999999999}})"),
                           with(R"(, "used": {"tokens": "1"}})"),
                           with(R"(, "used": {"tokens": 01}})"),
                           with(R"(, "used": {"tokens": }})"),
                           with(R"(, "used": {"tokens": 1, "tokens": 2}})"),
                           with(R"(, "used": {"other": 1}})"),
                           with(R"(, "used": 1})"),
                           with(R"(, "used": {"tokens": 1}, "cancel": true})"),
                           with(R"(, "cancel": false})"),
                           with(R"(, "cancel": 1})"),
                           with(R"(, "used": {"tokens": 1}, "used": {}})"),
                           with(R"(, "used": {"tokens": 1}, "more": 1})"),
                           with(R"(, "used": {"tokens": 1}} {})"),
                           std::string(R"({"used": {"tokens": 1}})"),
                           std::string("{\"reservation\": \"a\nb\", \"cancel\": true}"),
                           std::string(R"({"reservation": "\ud800", "cancel": true})")}) {
    EXPECT_EQ(settle(body), 400U) << body;
    EXPECT_EQ(left("tokens"), 900U) << body;
  }
  EXPECT_EQ(use(id, 40), 204U) << "it is still open";
}

TEST_F(PathReservedTokens, AreNamedWhenAnotherLimitIsSettled) {
  const auto id = reserve();
  settle(R"({"reservation": ")" + id + R"(", "used": {"other": 1}})");
  EXPECT_THAT(client.body,
              HasSubstr(R"(The limit \"other\" takes no cost from this reservation. The limits that do: tokens.)"));
}

TEST_F(PathReservedTokens, AreNamedInAnySpellingOfJson) {
  EXPECT_EQ(settle("\r\n{ \"cancel\" : true ,\t\"reserv\\u0061tion\":\"" + reserve() + "\" } "), 204U);
  EXPECT_EQ(left("tokens"), 1000U);
}

TEST_F(PathReservedTokens, AreSettledOnlyByTrustedProxiesWithASmallBody) {
  const auto id = reserve();
  EXPECT_EQ(settle(std::string(17'000, ' ')), 413U);
  identity.trusted_proxies = {*identity::parse_network("198.51.100.0/24")};
  reload();
  EXPECT_EQ(use(id, 40), 403U);
  EXPECT_EQ(left("tokens"), 900U);
}

TEST_F(PathReservedTokens, OfAnotherGatewayAreRefusedWith421) {
  reserve();
  EXPECT_EQ(use(std::string(16, 'a') + "-" + std::string(32, 'b'), 1), 421U);
  EXPECT_THAT(client.body, HasSubstr("Send the call to the gateway that decided."));
  EXPECT_EQ(use("x", 1), 404U);
}

TEST_F(PathReservedTokens, AreSettledWithTheStatusAlsoOnAListenerForNginx) {
  asked_by = net::AskingProxy::nginx;
  send("GET /auth", "X-Forwarded-For: 192.0.2.7\r\nX-Original-Method: GET\r\nX-Original-URI: /api/a\r\n");
  const auto id = client.fields["X-Headgate-Reservation"];
  EXPECT_EQ(use(id, 40), 204U);
  EXPECT_EQ(use(id, 40), 404U) << "this is no answer to auth_request";
}

// A question for Envoy is the request of its client, which could otherwise settle what it used.
TEST_F(PathReservedTokens, AreNotSettledByARequestThatIsAskedAbout) {
  const auto id = reserve();
  const std::string body = R"({"reservation": ")" + id + R"(", "cancel": true})";
  const std::string length = "Content-Length: " + std::to_string(body.size()) + "\r\n";
  send("POST /settle",
       length + "X-Forwarded-Method: POST\r\nX-Forwarded-Uri: /settle\r\nX-Forwarded-Host: a.example\r\n", body);
  EXPECT_EQ(client.status, 404U) << "no route has this path";
  asked_by = net::AskingProxy::envoy;
  EXPECT_EQ(settle(body), 404U);
  EXPECT_EQ(open(), "1");
  EXPECT_EQ(left("tokens"), 900U);
}

TEST_F(PathReservedTokens, AreSharedOutBetweenOwners) {
  EXPECT_NE(reserve("192.0.2.7"), "");
  const auto second = reserve("192.0.2.7");
  EXPECT_EQ(reserve("192.0.2.7"), "") << "this owner has as many as there are free places";
  EXPECT_EQ(client.status, 503U);
  EXPECT_EQ(x.ended_by, EndedBy::full);
  EXPECT_EQ(left("tokens"), 800U) << "nothing is held for the refused one";
  EXPECT_NE(reserve("198.51.100.1"), "");
  EXPECT_EQ(ended("refused"), "1");
  EXPECT_EQ(reservations.counts().owner, "192.0.2.7");
  EXPECT_EQ(reservations.counts().of_owner, 2U);
  EXPECT_EQ(use(second, 1), 204U);
  EXPECT_NE(reserve("192.0.2.7"), "");
}

TEST_F(PathReservations, GivePermitsInFlightBackWhenTheyAreSettledCancelledOrOver) {
  in_flight("slots", 1);
  const auto first = reserve();
  ASSERT_NE(first, "");
  EXPECT_EQ(metric("headgate_limit_in_flight{limit=\"slots\",worker=\"0\"}"), "1");
  EXPECT_EQ(reserve(), "");
  EXPECT_EQ(client.status, 429U);
  EXPECT_EQ(settle(R"({"reservation": ")" + first + R"(", "used": {}})"), 204U);
  EXPECT_EQ(metric("headgate_limit_in_flight{limit=\"slots\",worker=\"0\"}"), "0");
  const auto second = reserve();
  EXPECT_EQ(client.status, 200U);
  EXPECT_EQ(cancel(second), 204U);
  EXPECT_NE(reserve(), "");
  clock.advance(minutes(5));
  EXPECT_NE(reserve(), "") << "the one before is over";
}

TEST_F(PathReservations, RenewPermitsInFlightInRedis) {
  in_flight("slots", 1, limit::Store::redis);
  const auto id = reserve();
  ASSERT_NE(id, "");
  clock.advance(seconds(20));
  EXPECT_GE(redis->settled.size(), 5U);
  EXPECT_THAT(redis->settled, testing::Each("slots 1")) << "the lease is renewed";
  redis->settled.clear();
  EXPECT_EQ(cancel(id), 204U);
  clock.advance(seconds(20));
  EXPECT_THAT(redis->settled, ElementsAre("slots -1"));
}

TEST_F(PathReservations, SettleCostsInRedis) {
  in_redis("tokens", "1000/day");
  settles(100);
  EXPECT_EQ(use(reserve(), 40), 204U);
  EXPECT_EQ(use(reserve(), 140), 204U);
  EXPECT_EQ(cancel(reserve()), 204U);
  EXPECT_THAT(redis->settled, ElementsAre("tokens -60", "tokens 40", "tokens -100"));
}

TEST_F(PathReservations, AreNotOpenedForADecisionThatAnotherUpstreamWouldTake) {
  limit_by("client_ip", "tokens", "250/day").unit = limit::Unit::token;
  settles(100);
  in_memory("few", "1/hour");
  next_app = std::make_shared<ScriptedUpstream>(clock, trace, "next");
  route.to_instead = "next";
  const auto first = reserve();
  EXPECT_NE(first, "");
  EXPECT_EQ(reserve(), "") << "a limit of the same request rejects it";
  EXPECT_EQ(client.status, 429U) << "the proxy that asks knows nothing of that upstream";
  EXPECT_EQ(left("tokens"), 150U);
  EXPECT_EQ(cancel(first), 204U);
  EXPECT_EQ(left("tokens"), 250U);
}

TEST_F(PathReservedTokens, AreIgnoredForACallerThatIsExempt) {
  options.exemptions.emplace_back().limit = "tokens";
  options.exemptions.back().addresses = {*identity::parse_network("192.0.2.0/24")};
  in_flight("calls", 1);
  const auto id = reserve();
  EXPECT_NE(id, "") << "of the permit in flight";
  EXPECT_EQ(use(id, 40), 204U) << client.body;
  EXPECT_NE(reserve(), "") << "the permit has come back";
}

TEST_F(PathReservations, AreOpenedOnlyForWhatIsKnownLater) {
  in_memory("plan", "2/hour");
  EXPECT_EQ(reserve(), "");
  EXPECT_EQ(client.status, 200U);
  settle_within = Duration(0);
  EXPECT_EQ(settle(R"({"reservation": "x", "cancel": true})"), 400U) << "an ordinary question, without its fields";
}

}  // namespace
}  // namespace headgate::gateway::test
