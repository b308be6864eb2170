// A log that a run has written, replayed: the same decisions, request by request.

#include "support/access_lines.hpp"
#include "support/simulated.hpp"
#include "temporary_log.hpp"

#include "headgate/limit/algorithm.hpp"

#include <algorithm>
#include <map>
#include <random>
#include <tuple>

namespace headgate::test {
namespace {

using Decision = std::tuple<unsigned, gateway::EndedBy, Duration, Duration>;
using engine::RequestArrival;

constexpr unsigned kRequests = 600;

std::vector<RequestArrival> some_arrivals() {
  std::mt19937 random(7);
  std::vector<RequestArrival> out;
  Instant at = kStart;
  for (unsigned i = 0; i < kRequests; ++i) {
    at += Duration(1 + (random() % 3 == 0 ? random() % 2'000'000 : random() % 50'000));
    out.push_back({.at = at,
                   .address = boost::asio::ip::address_v4(0xC0000207U + static_cast<std::uint32_t>(random() % 5)),
                   .host = "api.example.com",
                   .path = random() % 2 == 0 ? "/v1/orders" : "/v1/items",
                   .answer = {.status = random() % 10 == 0 ? 404U : 200U,
                              .bytes = random() % 5000,
                              .after = Duration(random() % 3'000'000)}});
  }
  return out;
}

/// By their numbers, as runs tell them when they have ended. `told` sees each.
template <class Told>
std::vector<Decision> decisions(engine::Simulation& simulation, engine::Arrivals& arrivals, Told&& told) {
  std::vector<Decision> out(kRequests);
  simulation.run(arrivals, [&](const engine::ArrivalResult& decided) {
    if (decided.number < kRequests)
      out[decided.number] = {decided.status, decided.ended_by, decided.retry_after, decided.took};
    told(decided);
  });
  return out;
}

class ReplayedLog : public testing::TestWithParam<const limit::Algorithm*> {};

std::string algorithm_name(const testing::TestParamInfo<const limit::Algorithm*>& info) {
  return std::string(info.param->name);
}
INSTANTIATE_TEST_SUITE_P(, ReplayedLog, testing::ValuesIn(limit::algorithms().begin(), limit::algorithms().end()),
                         algorithm_name);

TEST_P(ReplayedLog, GivesTheSameDecisionsRequestByRequest) {
  const std::string algorithm(GetParam()->name);
  Simulated simulated;
  simulated.limit_by("client_ip", "each", "4/second", algorithm);
  simulated.limit_by("client_ip", "slow", "60/minute", algorithm);

  const auto all = some_arrivals();
  Listed listed(all);
  const auto first = simulated.start();
  std::string json, ecs;
  const auto expected = decisions(*first, listed, [&](const engine::ArrivalResult& decided) {
    const auto& arrival = all[decided.number];
    observe::AccessRecord record;
    record.request_id = "x";
    record.address = arrival.address;
    record.method = "GET";
    record.host = arrival.host;
    record.path = arrival.path;
    record.status = decided.status;
    record.ended_by = gateway::to_text(decided.ended_by);
    record.out_bytes = arrival.answer.bytes;
    record.elapsed = decided.took;
    json += access_line(record, {}, observe::LogFormat::json, first->clock().wall()) + '\n';
    ecs += access_line(record, {}, observe::LogFormat::ecs, first->clock().wall()) + '\n';
  });
  EXPECT_TRUE(std::ranges::any_of(expected, [](const auto& one) { return std::get<0>(one) == 429; }));
  EXPECT_TRUE(std::ranges::any_of(expected, [](const auto& one) { return std::get<0>(one) == 404; }));

  for (const auto& text : {json, ecs}) {
    const TemporaryLog file(text);
    auto log = access_logs::LogArrivals::open({.files = {file.path()}});
    ASSERT_TRUE(log.has_value()) << log.error();
    EXPECT_EQ(decisions(*simulated.start(), **log, [](const auto&) {}), expected);
    EXPECT_EQ((*log)->counts().requests, kRequests);
    EXPECT_EQ((*log)->counts().late, 0U);
    EXPECT_EQ((*log)->counts().unread, 0U);
  }
}

}  // namespace
}  // namespace headgate::test
