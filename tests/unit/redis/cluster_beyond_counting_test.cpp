// Requests in flight, appointments and waiting rooms in a cluster: each call goes to one slot, and what one slot
// granted is given back where another one rejects.
#include "../../../src/redis/room_question.hpp"
#include "cluster_fixture.hpp"

#include "headgate/limit/appointment.hpp"
#include "headgate/limit/in_flight.hpp"

namespace headgate::redis {
namespace {

class ClusterBeyondCounting : public ClusterFixture {
 protected:
  void SetUp() override {
    start(0);
    options.timeout = 2s;  // a longer deadline changes nothing, and tests share two slow cores
  }

  static limit::Rule flights_of(std::uint64_t most) {
    limit::Rule made;
    made.limit = "flights";
    made.algorithm = &limit::in_flight;
    made.burst = most;
    made.rate = {most, limit::kFlightLease};
    limit::name_rule(made, false, limit::PeriodInKey::no);
    return made;
  }
  static limit::Check permit(const limit::Rule& of, std::string_view key, std::string_view token, std::int64_t cost = 1,
                             limit::How how = limit::How::take) {
    auto check = check_of(of, key, cost, how);
    check.token = token;
    return check;
  }

  struct Told {
    bool done = false;
    std::optional<Result<bool>> result;
    room::Answer answer;
  };
  static Task<void> ask_one(std::shared_ptr<Servers> servers, const room::RoomRule& of, room::Question question,
                            std::string prefix, Told& told) {
    const auto key = room::room_key(prefix, of.name);
    RoomQuestion asked(of, question, prefix);
    auto call = servers->ask(asked, key);
    told.result = co_await call;
    told.answer = asked.answer;
    told.done = true;
  }
  room::Answer ask(const std::shared_ptr<Servers>& servers, const room::RoomRule& of, const room::Question& question) {
    Told told;
    spawn(ask_one(servers, of, question, options.key_prefix, told), "test");
    EXPECT_TRUE(run_until([&] { return told.done; }));
    EXPECT_TRUE(told.result->has_value()) << told.result->error().message();
    return told.answer;
  }
};

TEST_F(ClusterBeyondCounting, APermitInFlightIsGivenBackWhereAnotherSlotRejects) {
  const auto servers = Servers::make(loop, options);
  const auto flights = flights_of(2);
  const auto wide = rule_of(1000, 24h, "wide");
  const std::string here = key_in(100);
  const std::string there = key_in(16000);
  ASSERT_TRUE(check(servers, {permit(flights, here, "one"), check_of(wide, there)}).allowed());
  const Asked rejected = check(servers, {permit(flights, here, "two"), check_of(wide, there, 2000)});
  EXPECT_TRUE(rejected.rejected());
  EXPECT_EQ(rejected.decisions[0].remaining, 1U) << "as if it had not been asked";
  ASSERT_TRUE(run_until([&] { return servers->give_backs().done == 1; }));
  const Asked next = check(servers, {permit(flights, here, "three")});
  EXPECT_TRUE(next.allowed()) << "nobody holds what was given back";
  EXPECT_EQ(next.decisions[0].remaining, 0U);
  EXPECT_TRUE(check(servers, {permit(flights, here, "four")}).rejected()) << "the first one still holds its own";
  servers->stop();
}

TEST_F(ClusterBeyondCounting, APermitInFlightIsRenewedAndGivenBackInItsSlotThoughThatMoves) {
  const auto servers = Servers::make(loop, options);
  const auto flights = flights_of(1);
  const std::string key = "caller";
  ASSERT_TRUE(check(servers, {permit(flights, key, "one")}).allowed());
  auto& from = *cluster.owner(slot(key));
  auto& to = other_than(from);
  begin_move(slot(key), from, to);
  move_keys(slot(key), from, to);
  EXPECT_TRUE(check(servers, {permit(flights, key, "two")}).rejected()) << "ASK";
  EXPECT_TRUE(check(servers, {permit(flights, key, "one", 1, limit::How::debt)}).allowed()) << "a renewal";
  end_move(slot(key), from, to);
  EXPECT_TRUE(check(servers, {permit(flights, key, "two")}).rejected()) << "MOVED";
  EXPECT_TRUE(check(servers, {permit(flights, key, "one", -1)}).allowed());
  EXPECT_TRUE(check(servers, {permit(flights, key, "two")}).allowed());
  servers->stop();
}

TEST_F(ClusterBeyondCounting, TheUseOfAnAppointmentIsBesideItsCounter) {
  const auto servers = Servers::make(loop, options);
  const limit::Appointment appointment{.from = {}, .until = {}, .lasts = 10min, .cost = 1, .id = 4711};
  const auto use = limit::use_of(appointment, rule);
  const auto flights = flights_of(2);
  const std::string key = "caller";
  ASSERT_TRUE(run_until_up(servers));
  const auto sent = servers->counters().sent;
  EXPECT_TRUE(check(servers, {check_of(use, key), check_of(rule, key), permit(flights, key, "one")}).allowed());
  const Asked again = check(servers, {check_of(use, key), check_of(rule, key), permit(flights, key, "two")});
  EXPECT_TRUE(again.rejected());
  EXPECT_FALSE(again.decisions[0].allowed);
  EXPECT_EQ(servers->counters().sent - sent, 2U) << "one call each";
  EXPECT_EQ(servers->counters().refused, 0U) << "and never CROSSSLOT";
  EXPECT_EQ(check(servers, {check_of(rule, key, 0)}).decisions[0].remaining, 9U) << "it took nothing else";
  servers->stop();
}

TEST_F(ClusterBeyondCounting, AnAppointmentIsNotUsedUpWhereAnotherSlotRejects) {
  const auto servers = Servers::make(loop, options);
  const limit::Appointment appointment{.from = {}, .until = {}, .lasts = 10min, .cost = 1, .id = 4711};
  const auto use = limit::use_of(appointment, rule);
  const auto wide = rule_of(1000, 24h, "wide");
  const std::string here = key_in(100);
  const std::string there = key_in(16000);
  EXPECT_TRUE(check(servers, {check_of(use, here), check_of(wide, there, 2000)}).rejected());
  ASSERT_TRUE(run_until([&] { return servers->give_backs().done == 1; }));
  EXPECT_TRUE(check(servers, {check_of(use, here), check_of(wide, there)}).allowed());
  EXPECT_TRUE(check(servers, {check_of(use, here), check_of(wide, there)}).rejected());
  servers->stop();
}

TEST_F(ClusterBeyondCounting, ALineGoesOnWhileItsSlotMoves) {
  const auto servers = Servers::make(loop, options);
  const room::RoomRule sale{.name = "sale", .count = 1, .period = 1h, .visitors = 5, .grace = 60s, .stay = 600s};
  const auto number = slot_of(room::room_key(options.key_prefix, sale.name));
  EXPECT_EQ(ask(servers, sale, {.ask = room::Ask::arrive}).place, room::VisitorState::inside);
  EXPECT_EQ(ask(servers, sale, {.ask = room::Ask::arrive}).number, 2);
  auto& from = *cluster.owner(number);
  auto& to = other_than(from);
  begin_move(number, from, to);
  EXPECT_EQ(ask(servers, sale, {.ask = room::Ask::arrive}).number, 3) << "still here";
  move_keys(number, from, to);
  EXPECT_EQ(ask(servers, sale, {.ask = room::Ask::arrive}).number, 4) << "ASK";
  end_move(number, from, to);
  const auto fifth = ask(servers, sale, {.ask = room::Ask::arrive});
  EXPECT_EQ(fifth.number, 5) << "MOVED";
  EXPECT_EQ(fifth.taken, 1) << "who is inside went with the slot";
  const auto second = ask(servers, sale, {.ask = room::Ask::present, .number = 2});
  EXPECT_EQ(second.number, 2);
  EXPECT_EQ(second.place, room::VisitorState::waiting);
  EXPECT_FALSE(second.lost);
  servers->stop();
}

}  // namespace
}  // namespace headgate::redis
