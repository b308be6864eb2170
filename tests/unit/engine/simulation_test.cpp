// A configuration against arrivals: they overlap, wait and are refused as on the real path, on a clock that is a
// variable.

#include "headgate/engine/simulation.hpp"

#include "support/simulated.hpp"

#include "headgate/limit/in_flight.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

namespace headgate::engine {
namespace {

using gateway::EndedBy;
using headgate::test::kStart;
using headgate::test::Listed;
using headgate::test::Simulated;
using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::ElementsAre;

boost::asio::ip::address address(unsigned last) {
  return boost::asio::ip::address_v4(0xC0000200U + last);  // 192.0.2.0/24
}

/// What is kept of a decision.
struct Kept {
  unsigned status = 0;
  EndedBy ended_by = EndedBy::upstream;
  std::string limit;
  std::string tier;
  Duration retry_after{0};
  Duration took{0};
  std::string upstream;
  std::string request_id;
  bool operator==(const Kept&) const = default;
};

struct Simulations : testing::Test, Simulated {
  /// At most `most` requests of an address at the same time; so many more may wait.
  void in_flight(std::uint64_t most, limit::Store store, Duration wait = Duration(0)) {
    auto& rule = limit_by("client_ip", "flights", "1/hour", "token_bucket", store, wait).tiers[0].rules[0];
    rule.algorithm = &limit::in_flight;
    rule.burst = most;
    rule.rate = {most, limit::kFlightLease};
    rule.queue = 10;
    limit::name_rule(rule, false, limit::PeriodInKey::no);
  }
  std::vector<Kept> run(const std::vector<RequestArrival>& arrivals, std::uint64_t seed = 1) {
    Listed listed(arrivals);
    std::vector<Kept> out(arrivals.size());
    std::size_t told = 0;
    simulation = start(seed);
    simulation->run(listed, [&](const ArrivalResult& decided) {
      ++told;
      out.at(decided.number) = {decided.status,
                                decided.ended_by,
                                std::string(decided.limit),
                                std::string(decided.tier),
                                decided.retry_after,
                                decided.took,
                                std::string(decided.exchange.upstream),
                                std::string(decided.exchange.request_id)};
    });
    EXPECT_EQ(told, arrivals.size());
    return out;
  }
  static std::vector<unsigned> statuses(const std::vector<Kept>& all) {
    std::vector<unsigned> out;
    for (const auto& kept : all) out.push_back(kept.status);
    return out;
  }
  std::unique_ptr<Simulation> simulation;
};

struct SimulationsInBothStores : Simulations, testing::WithParamInterface<limit::Store> {};
INSTANTIATE_TEST_SUITE_P(, SimulationsInBothStores, testing::Values(limit::Store::memory, limit::Store::redis));

TEST_F(Simulations, AnswerWithWhatTheServerSaysAfterTheTimeItTakes) {
  const auto all =
      run({{.at = kStart, .address = address(1), .answer = {.status = 404, .bytes = 200'000, .after = seconds(3)}}});
  EXPECT_EQ(all[0].status, 404U);
  EXPECT_EQ(all[0].ended_by, EndedBy::upstream);
  EXPECT_EQ(all[0].took, seconds(3));
  EXPECT_EQ(simulation->clock().wall(), kStart + seconds(3));
}

TEST_F(Simulations, EndARequestWhoseServerTakesLongerThanItsRoute) {
  route.timeout = seconds(2);
  const auto all = run({{.at = kStart, .address = address(1), .answer = {.after = seconds(3)}}});
  EXPECT_EQ(all[0].status, 504U);
  EXPECT_EQ(all[0].ended_by, EndedBy::timeout_upstream);
  EXPECT_EQ(all[0].took, seconds(2));
}

TEST_F(Simulations, RefuseAsASessionWhatNoParserTakes) {
  const auto all = run({{.at = kStart, .address = address(1), .host = "a..example"},
                        {.at = kStart, .address = address(1), .path = "/a/%2e%2e%2f"},
                        {.at = kStart, .address = address(1), .host = "A.example:80", .path = "/b//c"}});
  EXPECT_THAT(statuses(all), ElementsAre(400U, 400U, 200U));
  EXPECT_EQ(all[0].ended_by, EndedBy::bad_request);
}

TEST_P(SimulationsInBothStores, CountTheRequestsOfEachAddress) {
  limit_by("client_ip", "few", "2/minute", "token_bucket", GetParam());
  std::vector<RequestArrival> arrivals(4, {.at = kStart, .address = address(1)});
  arrivals[3].address = address(2);
  const auto all = run(arrivals);
  EXPECT_THAT(statuses(all), ElementsAre(200U, 200U, 429U, 200U));
  EXPECT_EQ(all[2].ended_by, EndedBy::limit);
  EXPECT_EQ(all[2].limit, "few");
  EXPECT_EQ(all[2].retry_after, seconds(30));
}

TEST_P(SimulationsInBothStores, HoldPermitsForAsLongAsServersTake) {
  in_flight(2, GetParam());
  const auto all = run({{.at = kStart, .address = address(1), .answer = {.after = seconds(20)}},
                        {.at = kStart + seconds(1), .address = address(1), .answer = {.after = seconds(25)}},
                        {.at = kStart + seconds(2), .address = address(1)},
                        {.at = kStart + seconds(19), .address = address(1)},
                        {.at = kStart + seconds(20), .address = address(1)},
                        {.at = kStart + seconds(21), .address = address(1)}});
  EXPECT_THAT(statuses(all), ElementsAre(200U, 200U, 429U, 429U, 200U, 200U));
}

TEST_P(SimulationsInBothStores, LetRequestsWaitForAPermit) {
  in_flight(1, GetParam(), seconds(10));
  const auto all = run({{.at = kStart, .address = address(1), .answer = {.after = seconds(4)}},
                        {.at = kStart + seconds(1), .address = address(1), .answer = {.after = seconds(20)}},
                        {.at = kStart + seconds(2), .address = address(1)}});
  EXPECT_THAT(statuses(all), ElementsAre(200U, 200U, 429U));
  EXPECT_GE(all[1].took, seconds(23));
  EXPECT_LT(all[1].took, seconds(24));
  EXPECT_EQ(all[2].took, seconds(10));
}

TEST_P(SimulationsInBothStores, DelayWhatWaitsForItsRate) {
  limit_by("client_ip", "slow", "1/second", "leaky_bucket", GetParam(), seconds(2));
  const auto all = run(std::vector<RequestArrival>(4, {.at = kStart, .address = address(1)}));
  EXPECT_THAT(statuses(all), ElementsAre(200U, 200U, 200U, 429U));
  EXPECT_EQ(all[1].took, seconds(1));
  EXPECT_EQ(all[2].took, seconds(2));
}

TEST_P(SimulationsInBothStores, SendCallersThroughTheirWaitingRoom) {
  auto& room = options.rooms.emplace_back();
  room.rule = {
      .name = "sale", .count = 1, .period = seconds(10), .burst = 1, .grace = seconds(60), .stay = seconds(600)};
  room.secrets = {"0123456789abcdef0123456789abcdef"};
  room.per = {headgate::test::make_per("client_ip")};
  room.store = GetParam();
  route.waiting_room = "sale";
  const auto all = run({{.at = kStart, .address = address(1)},
                        {.at = kStart + seconds(1), .address = address(2)},
                        {.at = kStart + seconds(100), .address = address(3)}});
  EXPECT_THAT(statuses(all), ElementsAre(200U, 429U, 200U));
  EXPECT_EQ(all[1].ended_by, EndedBy::waiting_room);
}

TEST_F(Simulations, GiveWaitingRequestsThePlacesAtTheirServers) {
  app.servers[0].max_in_flight = 1;
  app.server_queue = gateway::ServerQueue{.length = 10, .wait = seconds(10)};
  const auto all = run({{.at = kStart, .address = address(1), .answer = {.after = seconds(4)}},
                        {.at = kStart + seconds(1), .address = address(2)}});
  EXPECT_THAT(statuses(all), ElementsAre(200U, 200U));
  EXPECT_EQ(all[1].took, seconds(3));
}

/// Retries pause by chance, ids begin by chance, and a split without a key is by chance.
TEST_F(Simulations, DecideTheSameFromTheSameSeed) {
  app.retry.emplace().attempts = 3;
  others.push_back(app);
  others.back().name = "canary";
  auto split = std::make_shared<gateway::Split>();
  split->shares.push_back({.upstream = "app", .weight = 3, .when = {}});
  split->shares.push_back({.upstream = "canary", .weight = 1, .when = {}});
  route.split = std::move(split);
  limit_by("client_ip", "few", "5/second");
  std::vector<RequestArrival> arrivals;
  for (unsigned i = 0; i < 300; ++i)
    arrivals.push_back({.at = kStart + milliseconds(7 * i),
                        .address = address(i % 5),
                        .answer = {.status = i % 3 == 0 ? 503U : 200U, .after = milliseconds(i % 11)}});
  const auto once = run(arrivals, 7);
  EXPECT_EQ(run(arrivals, 7), once);
  const auto chosen = [](const std::vector<Kept>& all) {
    std::vector<std::string> out;
    for (const auto& kept : all) out.push_back(kept.upstream);
    return out;
  };
  EXPECT_THAT(chosen(once), testing::IsSupersetOf({"app", "canary"}));
  EXPECT_NE(chosen(run(arrivals, 8)), chosen(once));
}

}  // namespace
}  // namespace headgate::engine
