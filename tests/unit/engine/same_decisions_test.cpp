// The engine on arrivals decides as the path does on the bytes of requests.

#include "support/simulated.hpp"
#include "unit/gateway/path/path.hpp"

#include "headgate/limit/algorithm.hpp"

#include <random>
#include <string>
#include <tuple>
#include <vector>

namespace headgate::engine {
namespace {

using headgate::test::kStart;
using headgate::test::Listed;
using headgate::test::Simulated;

constexpr unsigned kSteps = 400;

class SameDecisions : public gateway::test::Path, public testing::WithParamInterface<const limit::Algorithm*> {
 protected:
  /// A request, a while after the one before.
  struct Request {
    Duration after;
    std::string path;
    std::string caller;
  };
  static std::vector<Request> requests() {
    std::mt19937 random(11);
    std::vector<Request> out;
    for (unsigned i = 0; i < kSteps; ++i)
      out.push_back({Duration(random() % 3 == 0 ? random() % 5'000'000 : random() % 50'000),
                     "/a/./" + std::to_string(random() % 4), "caller-" + std::to_string(random() % 3)});
    return out;
  }
};

std::string name_of(const testing::TestParamInfo<const limit::Algorithm*>& info) {
  return std::string(info.param->name);
}
INSTANTIATE_TEST_SUITE_P(, SameDecisions, testing::ValuesIn(limit::algorithms().begin(), limit::algorithms().end()),
                         name_of);

TEST_P(SameDecisions, AsTheWholePathMakesThem) {
  using Decision = std::tuple<unsigned, gateway::EndedBy, Duration>;
  const auto all = requests();
  const std::string algorithm(GetParam()->name);
  Simulated simulated;
  simulated.limit_by("header:caller", "each", "4/second", algorithm);
  simulated.limit_by("client_ip", "all", "30/minute", algorithm);
  limits = simulated.limits;
  route.limits = simulated.route.limits;

  std::vector<Decision> expected;
  for (const auto& request : all) {
    clock.advance(request.after);
    const auto line = "GET " + request.path;
    const auto field = "caller: " + request.caller + "\r\n";
    if (expected.empty())
      check(line, field);
    else
      ask_again(line, field);
    ASSERT_TRUE(done);
    expected.emplace_back(x.status, x.ended_by, x.retry_after);
  }

  std::vector<http::Field> fields;
  for (const auto& request : all) fields.push_back({http::Known::unknown, "caller", request.caller});
  std::vector<RequestArrival> arrivals;
  Instant at = kStart;
  for (std::size_t i = 0; i < all.size(); ++i)
    arrivals.push_back({.at = at += all[i].after,
                        .address = boost::asio::ip::make_address("192.0.2.7"),
                        .host = "a.example",
                        .path = all[i].path,
                        .fields = {&fields[i], 1},
                        .answer = {.bytes = 2}});
  std::vector<Decision> found;
  Listed listed(std::move(arrivals));
  simulated.start()->run(listed, [&](const ArrivalResult& decided) {
    found.emplace_back(decided.status, decided.ended_by, decided.retry_after);
  });
  EXPECT_EQ(found, expected);
  EXPECT_TRUE(std::ranges::any_of(found, [](const auto& one) { return std::get<0>(one) == 429; }));
  EXPECT_TRUE(std::ranges::any_of(found, [](const auto& one) { return std::get<0>(one) == 200; }));
}

}  // namespace
}  // namespace headgate::engine
