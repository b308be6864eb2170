// A rejected request reserves its permits, and comes back for them.

#include "../../../../../src/gateway/limits/appointments.hpp"

#include "unit/gateway/path/path.hpp"

#include "headgate/identity/network.hpp"

namespace headgate::gateway::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

const std::vector<std::string> kKeys{"the first key, of 32 bytes or more", "the second key, of 32 bytes or more"};

/// Redis behind what a gateway knows of it: who was rejected is rejected again until then, without a call.
class RememberingRedis final : public limit::RemoteLimiter {
 public:
  RememberingRedis(VirtualClock& clock, Trace& trace) : clock_(clock), stored_(clock, trace) {}

  Task<Result<bool>> decide(std::span<const limit::Check> checks, std::span<limit::Decision> decisions) override {
    const bool takes = checks.front().how == limit::How::take;
    if (takes && clock_.wall() < rejected_until_) {
      decisions.front() = {.allowed = false, .limit = 2, .retry_after = rejected_until_ - clock_.wall()};
      co_return false;
    }
    auto call = stored_.decide(checks, decisions);
    const auto agreed = *co_await call;
    if (takes && !checks.front().peek && !agreed) rejected_until_ = clock_.wall() + decisions.front().retry_after;
    co_return agreed;
  }
  bool settle(std::span<const limit::Check> checks, std::span<const Duration> held_for) override {
    return stored_.settle(checks, held_for);
  }
  Task<error_code> charge(const limit::Check& owed, std::string_view token) override {
    return stored_.charge(owed, token);
  }
  Clock::Steady recovering_until() const noexcept override { return {}; }
  bool up() const noexcept override { return true; }

 private:
  VirtualClock& clock_;
  StoredRedis stored_;
  Instant rejected_until_{};
};

class PathAppointments : public Path {
 protected:
  PathAppointments() { options.signing_keys = {kKeys[0]}; }

  limit::Limit& with_appointments(limit::Limit& limit, Duration ahead = std::chrono::minutes(5)) {
    limit.appointments = {ahead, seconds(10)};
    return limit;
  }
  /// 2 at once, and one more each 30 s.
  limit::Limit& slow(limit::Store store = limit::Store::memory) {
    return with_appointments(limit_by("client_ip", "plan", "2/minute", store));
  }
  void use_up(int requests = 2) {
    for (int i = 0; i < requests; ++i) {
      if (i == 0)
        check("GET /a");
      else
        ask_again("GET /a");
      ASSERT_EQ(client.status, 200U);
    }
  }
  /// Its fields, as a client sends them back.
  std::string offered() { return "Appointment: " + client.fields["Appointment"] + "\r\n"; }
  std::string reject() {
    ask_again("GET /a");
    EXPECT_EQ(client.status, 429U);
    return offered();
  }
};

class PathSharedAppointments : public PathAppointments, public testing::WithParamInterface<limit::Store> {};
INSTANTIATE_TEST_SUITE_P(Stores, PathSharedAppointments, testing::Values(limit::Store::memory, limit::Store::redis),
                         [](const auto& each) { return each.param == limit::Store::redis ? "redis" : "memory"; });

TEST_P(PathSharedAppointments, AreBookedByOneAddressToATenth) {
  with_appointments(limit_by("route", "shared", "60/minute", GetParam()));
  if (GetParam() == limit::Store::redis) other_redis = std::make_shared<StoredRedis>(clock, trace);
  identity.trusted_proxies = {*headgate::identity::parse_network("192.0.2.0/24")};
  identity.address_field = headgate::identity::AddressField::forwarded;
  const auto from = [](int address) { return "Forwarded: for=203.0.113." + std::to_string(address) + "\r\n"; };
  int offered_to_one = 0;
  check("GET /a", from(1));
  for (int i = 0; i < 400; ++i) {
    ask_again("GET /a", from(1));
    offered_to_one += client.fields.contains("Appointment") ? 1 : 0;
    EXPECT_EQ(client.fields.contains("Retry-After"), client.status == 429U);
  }
  EXPECT_EQ(offered_to_one, 30) << "a tenth of five minutes at one a second";
  ask_again("GET /a", from(2));
  EXPECT_TRUE(client.fields.contains("Appointment"));
  EXPECT_EQ(client.fields["Retry-After"], "31");
  clock.advance(std::chrono::minutes(10));
  for (int i = 0; i < 70; ++i) ask_again("GET /a", from(1));
  EXPECT_TRUE(client.fields.contains("Appointment")) << "its share is free again";
}

TEST_F(PathAppointments, OfAKeyOfOneCallerAreAllItsOwn) {
  with_appointments(limit_by("client_ip", "plan", "60/minute"));
  int offered_here = 0;
  check("GET /a");
  for (int i = 0; i < 400; ++i) {
    ask_again("GET /a");
    offered_here += client.fields.contains("Appointment") ? 1 : 0;
  }
  EXPECT_EQ(offered_here, 300);
}

TEST_F(PathAppointments, AreHandedOutAtTheRateOfTheLimit) {
  slow();
  use_up();
  for (const char* wait : {"30", "60", "90", "120"}) {
    ask_again("GET /a");
    EXPECT_EQ(client.status, 429U);
    EXPECT_EQ(client.fields["Retry-After"], wait);
    EXPECT_THAT(client.fields["Appointment"], AllOf(StartsWith("a1."), HasSubstr(";from="), HasSubstr(";until=")));
    EXPECT_THAT(client.body, AllOf(HasSubstr("\"appointment\": { \"token\": \"a1."), HasSubstr("Try again in ")));
  }
}

TEST_F(PathAppointments, AreForetoldWithTheirWaitAndNotMadeForAQuestion) {
  slow();
  use_up();
  for (const unsigned wait : {30U, 60U, 90U}) {
    for (int i = 0; i < 3; ++i) EXPECT_EQ(explain("GET /a").retry_after, wait);
    ask_again("GET /a");
    EXPECT_EQ(client.fields["Retry-After"], std::to_string(wait));
  }
}

TEST_F(PathAppointments, AreForetoldAlsoOfAKeyThatIsKnownToBeRejected) {
  other_redis = std::make_shared<RememberingRedis>(clock, trace);
  slow(limit::Store::redis);
  use_up();
  for (const unsigned wait : {30U, 60U, 90U}) {
    for (int i = 0; i < 3; ++i) EXPECT_EQ(explain("GET /a").retry_after, wait);
    ask_again("GET /a");
    EXPECT_EQ(client.fields["Retry-After"], std::to_string(wait));
  }
}

TEST_F(PathAppointments, LetThroughWhoComesInTime) {
  slow();
  use_up();
  const auto first = reject();
  const auto second = reject();
  clock.advance(seconds(30));
  ask_again("GET /a", first);
  EXPECT_EQ(client.status, 200U);
  ask_again("GET /a");
  EXPECT_EQ(client.status, 429U) << "who has none waits behind those who have one";
  clock.advance(seconds(39));
  ask_again("GET /a", second);
  EXPECT_EQ(client.status, 200U) << "within its width";
}

TEST_F(PathAppointments, AreKeptOnce) {
  slow();
  use_up();
  const auto kept = reject();
  clock.advance(seconds(30));
  ask_again("GET /a", kept);
  EXPECT_EQ(client.status, 200U);
  ask_again("GET /a", kept);
  EXPECT_EQ(client.status, 429U);
  EXPECT_EQ(client.fields["Retry-After"], "30") << "it is checked like any other, and gets a new one";
}

TEST_F(PathAppointments, TellWhoComesEarlyToWaitAndAreNotLost) {
  slow();
  use_up();
  const auto kept = reject();
  clock.advance(seconds(12));
  ask_again("GET /a", kept);
  EXPECT_EQ(client.status, 429U);
  EXPECT_EQ(client.fields["Retry-After"], "18");
  EXPECT_EQ(offered(), kept);
  ask_again("GET /a");
  EXPECT_EQ(client.fields["Retry-After"], "48") << "the early one reserved nothing more";
  clock.advance(seconds(18));
  ask_again("GET /a", kept);
  EXPECT_EQ(client.status, 200U);
}

TEST_F(PathAppointments, AreLostIfNobodyComes) {
  slow();
  use_up();
  const auto missed = reject();
  clock.advance(seconds(41));
  ask_again("GET /a", missed);
  EXPECT_EQ(client.status, 429U) << "too late";
  EXPECT_EQ(client.fields["Retry-After"], "19") << "the permit of the appointment is gone";
}

TEST_F(PathAppointments, AreBoundToTheCallerAndCannotBeForged) {
  slow();
  use_up();
  const auto kept = reject();
  clock.advance(seconds(30));
  auto forged = kept;
  forged[forged.find("a1.") + 3] ^= 1;
  ask_again("GET /a", forged);
  EXPECT_EQ(client.status, 429U);
  ask_again("GET /a", "Appointment: a1.1.2.3\r\n");
  EXPECT_EQ(client.status, 429U);
  const limit::Appointment made{.from = clock.wall(), .until = clock.wall() + seconds(9), .lasts = seconds(9), .id = 1};
  const std::string others = sign(made, {"plan", "", "192.0.2.8"}, kKeys);
  ask_again("GET /a", "Appointment: " + others + "\r\n");
  EXPECT_EQ(client.status, 429U) << "another caller's";
  const std::string own = sign(made, {"plan", "", "192.0.2.7"}, kKeys);
  ask_again("GET /a", "Appointment: " + own + "\r\n");
  EXPECT_EQ(client.status, 200U) << "the same, of this caller";
}

TEST_F(PathAppointments, AreSignedWithTheFirstKeyAndBelievedWithAll) {
  const limit::Appointment made{.from = clock.wall(), .until = clock.wall() + seconds(9), .lasts = seconds(9), .id = 1};
  const AppointmentOf of{"plan", "", "me"};
  const auto text = sign(made, of, kKeys);
  EXPECT_EQ(read_signed(text, of, kKeys), made);
  EXPECT_EQ(read_signed(text + ";from=1;until=2", of, kKeys), made);
  const std::vector<std::string> rotated{kKeys[1], kKeys[0]};
  EXPECT_EQ(read_signed(text, of, rotated), made);
  EXPECT_EQ(read_signed(text, of, std::span(kKeys).subspan(1)), std::nullopt);
  EXPECT_EQ(read_signed(text, {"plan", "pro", "me"}, kKeys), std::nullopt);
  EXPECT_EQ(read_signed(text, {"plans", "", "me"}, kKeys), std::nullopt);
  EXPECT_EQ(read_signed("", of, kKeys), std::nullopt);
}

TEST_F(PathAppointments, AreNotFurtherAheadThanTheLimitSays) {
  with_appointments(limit_by("client_ip", "plan", "2/minute"), seconds(60));
  use_up();
  reject();
  reject();
  for (int i = 0; i < 3; ++i) {
    ask_again("GET /a");
    EXPECT_EQ(client.status, 429U);
    EXPECT_EQ(client.fields["Retry-After"], "90");
    EXPECT_EQ(client.fields["Appointment"], "") << "and it reserves nothing";
  }
}

TEST_F(PathAppointments, OfALimitThatOnlyObservesAreNone) {
  slow().mode = limit::Mode::observe;
  use_up();
  ask_again("GET /a");
  EXPECT_EQ(client.status, 200U);
  EXPECT_EQ(client.fields["Appointment"], "");
}

TEST_F(PathAppointments, PassOnlyTheirOwnLimit) {
  slow();
  in_memory("hour", "3/hour");
  use_up();
  const auto kept = reject();
  clock.advance(seconds(30));
  ask_again("GET /a", kept);
  EXPECT_EQ(client.status, 200U);
  const auto next = reject();
  EXPECT_THAT(client.body, HasSubstr("\"limit\": \"hour\""));
  EXPECT_EQ(next, "Appointment: \r\n");
}

TEST_F(PathAppointments, AreNotUsedUpIfAnotherLimitRejects) {
  slow();
  in_redis("far", "10/hour");
  use_up();
  const auto kept = reject();
  clock.advance(seconds(30));
  redis->rejects = "far";
  ask_again("GET /a", kept);
  EXPECT_EQ(client.status, 429U);
  redis->rejects.clear();
  ask_again("GET /a", kept);
  EXPECT_EQ(client.status, 200U);
}

TEST_F(PathAppointments, AreForTheCostThatTheyReserved) {
  with_appointments(in_memory("plan", "10/minute"));
  route.limits.back().cost.from = find_cost_source("header");
  route.limits.back().cost.name = "cost";
  route.limits.back().cost.most = 10;
  check("GET /a", "cost: 10\r\n");
  ask_again("GET /a", "cost: 2\r\n");
  EXPECT_EQ(client.fields["Retry-After"], "12");
  const auto kept = offered();
  clock.advance(seconds(12));
  ask_again("GET /a", kept + "cost: 3\r\n");
  EXPECT_EQ(client.status, 429U) << "not for more";
  ask_again("GET /a", kept + "cost: 2\r\n");
  EXPECT_EQ(client.status, 200U);
}

TEST_F(PathAppointments, AreNotHandedOutWhileRedisIsDown) {
  slow(limit::Store::redis);
  redis->away = error::timed_out;
  use_up();
  ask_again("GET /a");
  EXPECT_EQ(client.status, 429U);
  EXPECT_EQ(client.fields["Appointment"], "");
}

TEST_F(PathAppointments, OfRedisAreBookedThere) {
  slow(limit::Store::redis);
  redis->rejects = "plan";
  check("GET /a");
  EXPECT_EQ(client.status, 429U);
  EXPECT_THAT(client.fields["Appointment"], StartsWith("a1."));
  EXPECT_EQ(redis->asked.size(), 2U) << "the check, and the booking";
}

}  // namespace
}  // namespace headgate::gateway::test
