// Waiting rooms on the path, on a clock that is a variable.

#include "unit/gateway/path/path.hpp"

#include "headgate/identity/network.hpp"
#include "headgate/room/line.hpp"

namespace headgate::gateway::test {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

/// A room in Redis as a test scripts it.
class ScriptedRooms final : public room::RemoteRooms {
 public:
  explicit ScriptedRooms(VirtualClock& clock) : clock_(clock) {}
  Task<Result<room::Answer>> ask(const room::RoomRule& rule, const room::Question& question) override {
    ++asked;
    if (away) co_return Result<room::Answer>(boost::system::in_place_error, boost::asio::error::timed_out);
    co_return room::step(state, rule, question, clock_.wall());
  }
  room::LineState state;
  int asked = 0;
  bool away = false;

 private:
  VirtualClock& clock_;
};

class PathRoom : public Path {
 protected:
  WaitingRoom& room(std::uint64_t count, Duration period, limit::Store store = limit::Store::memory) {
    auto& room = options.rooms.emplace_back();
    room.rule = {
        .name = "sale", .count = count, .period = period, .burst = 1, .grace = seconds(60), .stay = seconds(600)};
    room.secrets = {"0123456789abcdef0123456789abcdef"};
    room.per = {headgate::test::make_per("client_ip")};
    room.store = store;
    route.waiting_room = "sale";
    remote_rooms = there;
    return room;
  }
  std::string given() { return client.fields["Waiting-Room-Ticket"]; }
  void ask(const std::string& ticket = "") {
    const auto field = ticket.empty() ? "" : "Waiting-Room-Ticket: " + ticket + "\r\n";
    if (!gateway)
      check("GET /a", field);
    else
      ask_again("GET /a", field);
  }
  std::shared_ptr<ScriptedRooms> there = std::make_shared<ScriptedRooms>(clock);
};

TEST_F(PathRoom, ComesBeforeTheServerAndAfterLimitsInMemory) {
  room(1, seconds(10));
  in_memory("few", "3/hour");
  ask();
  EXPECT_EQ(client.status, 200U);
  ask();
  EXPECT_EQ(client.status, 429U);
  EXPECT_EQ(x.ended_by, EndedBy::waiting_room);
  EXPECT_FALSE(trace.has("head")) << "no server was asked";
  ask();
  EXPECT_EQ(left("few"), 0U) << "who asks the room uses the limits before it";
  ask();
  EXPECT_EQ(x.ended_by, EndedBy::limit);
}

TEST_F(PathRoom, CallsAWaitingCallerAlsoIfNobodyElseAsks) {
  room(1, seconds(10));
  ask();
  ask();
  const auto ticket = given();
  clock.advance(seconds(9));
  ask(ticket);
  EXPECT_EQ(client.status, 429U);
  clock.advance(seconds(1));
  ask(ticket);
  EXPECT_EQ(client.status, 200U);
  EXPECT_THAT(given(), StartsWith("p.2."));
}

TEST_F(PathRoom, APassIsRenewedWhileItsVisitorStaysAndEndsWithItsStay) {
  room(1, seconds(3600));
  ask();
  auto pass = given();
  for (int i = 0; i < 20; ++i) {
    clock.advance(seconds(90));
    ask(pass);
    ASSERT_EQ(client.status, 200U) << i;
    if (!given().empty()) pass = given();
  }
  clock.advance(seconds(601));
  ask(pass);
  EXPECT_EQ(client.status, 429U);
}

TEST_F(PathRoom, GivesALateCallerANewNumberIfOthersAskedMeanwhile) {
  room(1, seconds(1));
  ask();
  ask();
  const auto second = given();
  ask();
  for (int i = 0; i < 80; ++i) {
    clock.advance(seconds(1));
    ask();
  }
  ask(second);
  EXPECT_EQ(client.status, 429U);
  EXPECT_EQ(x.room.outcome, RoomOutcome::lost);
  EXPECT_THAT(given(), StartsWith("t.84."));
}

TEST_F(PathRoom, InRedisACallerWhoseTurnIsFarCausesNoCall) {
  room(1, seconds(3600), limit::Store::redis);
  for (int i = 0; i < 12; ++i) ask();
  const auto ticket = given();
  const auto before = there->asked;
  for (int i = 0; i < 10; ++i) ask(ticket);
  EXPECT_EQ(there->asked, before);
  EXPECT_THAT(client.body, HasSubstr("\"position\": 11"));
}

TEST_F(PathRoom, LooksOnceASecondWhileSomebodyWaitsAndNotForEver) {
  room(10, seconds(1), limit::Store::redis);
  for (int i = 0; i < 5; ++i) ask();
  const auto before = there->asked;
  for (int i = 0; i < 10; ++i) clock.advance(seconds(1));
  EXPECT_NEAR(there->asked - before, 10, 1);
  clock.advance(seconds(120));
  const auto after = there->asked;
  for (int i = 0; i < 100; ++i) clock.advance(seconds(1));
  EXPECT_EQ(there->asked, after) << "all are called, and nobody has asked for a minute";
}

TEST_F(PathRoom, GoesOnAloneWhileRedisIsDownAndHandsTheLineBack) {
  room(1, seconds(10), limit::Store::redis);
  ask();
  ask();
  const auto second = given();
  ask();
  const auto third = given();
  there->away = true;
  ask();
  EXPECT_THAT(given(), StartsWith("t.4.")) << "the line goes on behind the last number";
  for (int i = 0; i < 10; ++i) clock.advance(seconds(1));
  ask(second);
  EXPECT_EQ(client.status, 200U);
  there->away = false;
  ask(third);
  EXPECT_EQ(client.status, 429U);
  EXPECT_EQ(there->state.next, 4);
  EXPECT_EQ(there->state.serving, 2) << "what was called here is called there";
  for (int i = 0; i < 10; ++i) clock.advance(seconds(1));
  ask(third);
  EXPECT_EQ(client.status, 200U);
}

TEST_F(PathRoom, WithoutRedisLetsEverybodyInIfToldTo) {
  room(1, seconds(10), limit::Store::redis).if_redis_down = limit::IfRedisDown::allow;
  there->away = true;
  for (int i = 0; i < 3; ++i) {
    ask();
    EXPECT_EQ(client.status, 200U);
    EXPECT_THAT(given(), StartsWith("p."));
  }
}

TEST_F(PathRoom, WithoutRedisLetsEverybodyWaitIfToldTo) {
  room(1, seconds(10), limit::Store::redis).if_redis_down = limit::IfRedisDown::reject;
  ask();
  const auto pass = given();
  there->away = true;
  ask();
  EXPECT_EQ(client.status, 429U);
  EXPECT_EQ(given(), "") << "nobody takes a number now";
  ask(pass);
  EXPECT_EQ(client.status, 200U) << "who is inside stays inside";
}

TEST_F(PathRoom, AnAnswerWithAPassIsNotForSharedCaches) {
  room(1, seconds(10));
  server.fields = {{http::Known::cache_control, "Cache-Control", "public, max-age=60"}};
  check("GET /a", "Accept: text/html\r\n");
  EXPECT_EQ(client.status, 200U);
  EXPECT_THAT(client.fields["Set-Cookie"], HasSubstr("room-sale=p.1."));
  EXPECT_THAT(client.fields["Cache-Control"], HasSubstr("private"));
}

TEST_F(PathRoom, ACookieOverTlsIsSecureAndOfThisHostOnly) {
  room(1, seconds(10));
  x.client_tls = true;
  check("GET /a", "Accept: text/html\r\n");
  EXPECT_EQ(client.status, 200U);
  EXPECT_THAT(client.fields["Set-Cookie"], StartsWith("__Host-room-sale=p.1."));
  EXPECT_THAT(client.fields["Set-Cookie"], HasSubstr("; Path=/;"));
  EXPECT_THAT(client.fields["Set-Cookie"], HasSubstr("; Secure"));
}

TEST_F(PathRoom, ACookieIsSecureIfTheFieldOfTheTrustedHopSaysSoAndNoOther) {
  room(1, seconds(10));
  identity.trusted_proxies = {*headgate::identity::parse_network("192.0.2.0/24")};
  identity.address_field = headgate::identity::AddressField::forwarded;
  check("GET /a", "Accept: text/html\r\nForwarded: for=203.0.113.9;proto=https\r\n");
  EXPECT_THAT(client.fields["Set-Cookie"], HasSubstr("; Secure"));
  ask_again("GET /a", "Accept: text/html\r\nForwarded: for=203.0.113.8;proto=http\r\nX-Forwarded-Proto: https\r\n");
  EXPECT_THAT(client.fields["Set-Cookie"], Not(HasSubstr("; Secure"))) << "the client wrote that one";
}

}  // namespace
}  // namespace headgate::gateway::test
