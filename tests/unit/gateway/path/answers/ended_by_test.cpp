// Every value of ended_by in the log, and what causes it.

#include "unit/gateway/path/path.hpp"

#include <functional>
#include <set>

namespace headgate::gateway::test {
namespace {

/// One case. Each runs on its own path.
struct Way {
  EndedBy end;
  unsigned status;  ///< of the reply, as the log has it; 499: the client left before; 0: none
  std::string name;
  std::function<void(class EndedByTest&)> go;
};

class EndedByTest : public Path, public testing::WithParamInterface<Way> {
 public:
  using Path::app;
  using Path::ask_again;
  using Path::bans;
  using Path::bound;
  using Path::check;
  using Path::client;
  using Path::clock;
  using Path::in_memory;
  using Path::leave;
  using Path::memory;
  using Path::options;
  using Path::redis;
  using Path::route;
  using Path::server;
  using Path::trace;
  using Path::upstream;
  using Path::version;
  using Path::x;
};

void PrintTo(const Way& way, std::ostream* out) { *out << way.name; }

using T = EndedByTest;

std::vector<Way> ways() {
  return {
      {EndedBy::upstream, 200, "AnAnswer", [](T& t) { t.check("GET /a"); }},
      {EndedBy::upstream, 503, "AnAnswerThatIsAnError",
       [](T& t) {
         t.server.status = 503;
         t.check("GET /a");
       }},
      {EndedBy::respond, 200, "TheRouteItself",
       [](T& t) {
         t.route.respond.emplace();
         t.check("GET /a");
       }},
      {EndedBy::respond, 204, "TheLastHop", [](T& t) { t.check("OPTIONS /a", "Max-Forwards: 0\r\n"); }},
      {EndedBy::preflight, 204, "APreflight",
       [](T& t) {
         Cors rules;
         rules.any = true;
         t.route.cors = std::make_shared<const Cors>(rules);
         t.check("OPTIONS /a", "Origin: https://b.example\r\nAccess-Control-Request-Method: PUT\r\n");
       }},
      {EndedBy::limit, 429, "ALimit",
       [](T& t) {
         t.in_memory("plan", "1/hour");
         t.route.limits.back().cost.default_value = 2;
         t.check("GET /a");
       }},
      {EndedBy::ban, 429, "ASuspension",
       [](T& t) {
         auto& policy = t.in_memory("abuse", "10/hour").ban.emplace();
         policy.offences = headgate::test::make_rule("3/minute", 0, "abuse", "sliding_log");
         t.bans.add("abuse", "192.0.2.7", seconds(10), t.clock.wall());
         t.check("GET /a");
       }},
      {EndedBy::waiting_room, 429, "AWaitingRoom",
       [](T& t) {
         auto& room = t.options.rooms.emplace_back();
         room.rule = {
             .name = "sale", .count = 1, .period = seconds(60), .burst = 1, .grace = seconds(60), .stay = seconds(600)};
         room.secrets = {"0123456789abcdef0123456789abcdef"};
         room.per = {headgate::test::make_per("client_ip")};
         room.store = limit::Store::memory;
         t.route.waiting_room = "sale";
         t.check("GET /a");
         t.ask_again("GET /a");
         t.clock.advance(seconds(300));  // until nobody looks how far the line is
       }},
      {EndedBy::shed, 503, "TooManyRequestsAtTheUpstream",
       [](T& t) {
         const shed::ConcurrencyOptions one{.adaptive = shed::ConcurrencyRange{.least = 1, .most = 1}};
         t.bound(one);
         t.app->counted.emplace(one).enter(shed::Priority::normal);
         t.check("GET /a");
       }},
      {EndedBy::auth, 401, "NoProof",
       [](T& t) {
         t.route.require = Require::api_key;
         t.check("GET /a");
       }},
      {EndedBy::no_route, 404, "NoRoute",
       [](T& t) {
         t.route.path = "/b";
         t.check("GET /a");
       }},
      {EndedBy::no_route, 405, "NoRouteForTheMethod",
       [](T& t) {
         t.route.methods = {"GET"};
         t.check("PUT /a");
       }},
      {EndedBy::no_route, 421, "NoRouteForTheHost",
       [](T& t) {
         t.route.host = "b.example";
         t.check("GET /a");
       }},
      {EndedBy::circuit, 503, "AnOpenCircuit",
       [](T& t) {
         t.upstream().circuit.emplace();
         t.app->gate.state = balance::CircuitState::open;
         t.app->door.emplace(t.app->gate);
         t.check("GET /a");
       }},
      {EndedBy::no_server, 502, "NoServer",
       [](T& t) {
         t.server.unreachable = Failure{Failed::no_connection, error::connection_refused, false, "", "10.0.0.1:80"};
         t.check("GET /a");
       }},
      {EndedBy::timeout_connect, 504, "NoServerInTime",
       [](T& t) {
         t.server.connect_after = seconds(1);
         t.server.unreachable = Failure{Failed::connect_timeout, error::timed_out, false, "", "10.0.0.1:80"};
         t.check("GET /a");
         t.clock.advance(seconds(1));
       }},
      {EndedBy::timeout_upstream, 504, "NoAnswerInTime",
       [](T& t) {
         t.route.timeout = seconds(5);
         t.server.head_after = seconds(6);
         t.check("GET /a");
         t.clock.advance(seconds(5));
       }},
      {EndedBy::deadline, 504, "TheDeadlineOfACallOfGrpc",
       [](T& t) {
         t.version = 20;
         t.server.head_after = seconds(6);
         t.check("POST /a", "Content-Type: application/grpc\r\ngrpc-timeout: 5S\r\n");
         t.clock.advance(seconds(5));
       }},
      {EndedBy::timeout_upstream, 504, "AServerThatTakesNothing",
       [](T& t) {
         t.server.takes_none = error::timed_out;
         t.check("GET /a");
       }},
      {EndedBy::timeout_upstream, 200, "AnAnswerThatStops",
       [](T& t) {
         t.route.between_bytes = seconds(5);
         t.server.body = {{"o", Duration(0), {}}, {"k", seconds(6), {}}};
         t.check("GET /a");
         t.clock.advance(seconds(5));
       }},
      {EndedBy::timeout_client, 408, "ABodyThatStops",
       [](T& t) {
         t.server.head_after = seconds(20);
         t.check("POST /a", "Content-Length: 4\r\n", {{"four", seconds(11), {}}});
         t.clock.advance(kBodyTimeout);
       }},
      {EndedBy::client_closed, 499, "AClientThatLeftWhileItsServerWorked",
       [](T& t) {
         t.server.head_after = seconds(1);
         t.check("GET /a");
         t.leave();
       }},
      {EndedBy::client_closed, 200, "AClientThatTakesNoMore",
       [](T& t) {
         t.client.takes = 0;
         t.check("GET /a");
       }},
      {EndedBy::client_closed, 400, "ABodyThatEndedTooSoon",
       [](T& t) {
         t.server.head_after = seconds(1);
         t.check("POST /a", "Content-Length: 4\r\n", {{"", Duration(0), error::eof}});
       }},
      {EndedBy::upstream_closed, 502, "AServerThatClosed",
       [](T& t) {
         t.server.breaks = Failure{Failed::closed, error::eof, false, ""};
         t.check("GET /a");
       }},
      {EndedBy::upstream_closed, 502, "AnAnswerThatIsNone",
       [](T& t) {
         t.server.breaks = Failure{Failed::malformed, {}, false, "the status is no number"};
         t.check("GET /a");
       }},
      {EndedBy::upstream_closed, 502, "AnAnswerWithTooLargeAHead",
       [](T& t) {
         t.server.breaks = Failure{Failed::head_too_large, {}, false, ""};
         t.check("GET /a");
       }},
      {EndedBy::upstream_closed, 502, "AServerThatSwitchesUnasked",
       [](T& t) {
         t.server.status = 101;
         t.check("GET /a");
       }},
      {EndedBy::upstream_closed, 200, "AnAnswerThatBreaksOff",
       [](T& t) {
         t.server.body = {{"o", Duration(0), {}}, {"", Duration(0), error::eof}};
         t.check("GET /a");
       }},
      {EndedBy::too_large, 413, "ABodyThatIsTooLarge",
       [](T& t) {
         t.route.max_body = 3;
         t.check("POST /a", "Content-Length: 4\r\n", {{"four", Duration(0), {}}});
       }},
      {EndedBy::bad_request, 400, "APathWithAHiddenSlash", [](T& t) { t.check("GET /a%2Fb"); }},
      {EndedBy::bad_request, 400, "ABodyThatIsNotFramed",
       [](T& t) {
         t.server.head_after = seconds(1);
         t.check("POST /a", "Transfer-Encoding: chunked\r\n",
                 {{"", Duration(0), boost::system::errc::make_error_code(boost::system::errc::bad_message)}});
       }},
      {EndedBy::drain, 0, "TheEndOfADrain",
       [](T& t) {
         t.server.head_after = seconds(100);
         t.check("GET /a");
         t.leave(ActiveExchange::Because::broken_off);
       }},
      {EndedBy::operator_, 503, "AnOperatorWhileItsServerWorked",
       [](T& t) {
         t.server.head_after = seconds(100);
         t.check("GET /a");
         t.leave(ActiveExchange::Because::operator_);
       }},
      {EndedBy::operator_, 200, "AnOperatorDuringTheAnswer",
       [](T& t) {
         t.server.body = {{"o", Duration(0), {}}, {"k", seconds(6), {}}};
         t.check("GET /a");
         t.leave(ActiveExchange::Because::operator_);
       }},
      {EndedBy::bug, 500, "ABug",
       [](T& t) {
         t.trace.bug_in = "connect";
         t.check("GET /a");
       }},
  };
}

TEST_P(EndedByTest, IsRecordedInTheExchange) {
  GetParam().go(*this);
  ASSERT_TRUE(done);
  EXPECT_EQ(to_text(x.ended_by), to_text(GetParam().end));
  const bool in_grpc = x.grpc_status != observe::GrpcStatus::none;
  EXPECT_EQ(client.status, GetParam().status == 499 ? 0 : in_grpc ? 200 : GetParam().status);
  EXPECT_EQ(x.status, GetParam().status);
  EXPECT_TRUE(counted(GetParam().status));
  if (client.fields["Content-Type"] == "application/problem+json") {
    EXPECT_THAT(client.body, testing::HasSubstr(", \"code\": \"" + std::string(to_text(GetParam().end)) + "\",\n"));
  }
  EXPECT_EQ(app->report.alive, 0U);
  EXPECT_EQ(x.attempt, nullptr);
  EXPECT_EQ(clock.armed(), 0U) << "nobody waits any more";
}

TEST_P(EndedByTest, GivesBackThePermitOfTheRequestInFlight) {
  in_flight("flights", 3);
  GetParam().go(*this);
  ASSERT_TRUE(done);
  EXPECT_EQ(left("flights"), 3U);
}

INSTANTIATE_TEST_SUITE_P(All, EndedByTest, testing::ValuesIn(ways()), [](const auto& each) { return each.param.name; });

TEST(EndedByWords, AreAllReached) {
  std::set<EndedBy> reached;
  for (const auto& way : ways()) reached.insert(way.end);
  reached.insert(EndedBy::full);  // sessions say so before there is a request
  EXPECT_EQ(reached.size(), count_up_to<EndedBy::bug>()) << "some word ends nothing here";
}

}  // namespace
}  // namespace headgate::gateway::test
