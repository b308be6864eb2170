// A log that was taken from a run makes the same decisions when it is replayed, request by request.

#include "gateway/record/access_record.hpp"
#include "support/access_lines.hpp"
#include "unit/access_logs/temporary_log.hpp"
#include "unit/simulate/policies.hpp"

#include "headgate/access_logs/log_arrivals.hpp"
#include "headgate/limit/algorithm.hpp"

#include <gtest/gtest.h>

#include <random>
#include <tuple>

namespace headgate::simulate {
namespace {

using Decision = std::tuple<unsigned, gateway::EndedBy, std::string, Duration>;

/// Requests of five addresses on four paths, whose answers overlap.
std::vector<test::Group> crowd() {
  std::mt19937 random(7);
  std::vector<test::Group> out;
  Duration at{0};
  for (unsigned i = 0; i < 1500; ++i) {
    at += Duration(1 + (random() % 4 == 0 ? random() % 3'000'000 : random() % 30'000));
    out.push_back({.address = "192.0.2." + std::to_string(1 + random() % 5),
                   .begin = at,
                   .answered_after = Duration(random() % 400'000)});
  }
  return out;
}

/// By the numbers of the arrivals.
class Decisions {
 public:
  void add(const engine::ArrivalResult& decided) {
    if (all_.size() <= decided.number) all_.resize(decided.number + 1);
    all_[decided.number] = {decided.status, decided.ended_by, std::string(decided.limit), decided.retry_after};
  }
  const std::vector<Decision>& all() const noexcept { return all_; }
  std::size_t rejected() const {
    return static_cast<std::size_t>(
        std::ranges::count_if(all_, [](const auto& one) { return std::get<0>(one) == 429; }));
  }

 private:
  std::vector<Decision> all_;
};

/// The line of the gateway's log, in JSON, as it would have been written.
std::string line_of(const engine::ArrivalResult& decided) {
  observe::LogOptions options;
  options.key = Hash();
  observe::AccessRecord record;
  gateway::fill(decided.exchange, record);
  record.elapsed = decided.took;
  return headgate::test::access_line(record, options, observe::LogFormat::json, decided.exchange.clock->wall()) + '\n';
}

class Replays : public testing::TestWithParam<std::string> {};

std::vector<std::string> limits() {
  std::vector<std::string> out;
  for (const auto* const algorithm : limit::algorithms())
    out.push_back(R"("algorithm": ")" + std::string(algorithm->name) + R"(", "rate": "20/minute")");
  out.emplace_back(R"("algorithm": "leaky_bucket", "rate": "2/second", "burst": 2, "wait": "700ms")");
  out.emplace_back(R"("in_flight": 2)");
  out.emplace_back(R"("in_flight": 2, "wait": "300ms")");
  out.emplace_back(R"("rate": "20/minute", "ban": {"after": 5, "within": "1m", "for": "20s"})");
  return out;
}
INSTANTIATE_TEST_SUITE_P(, Replays, testing::ValuesIn(limits()),
                         [](const auto& each) { return "Limit" + std::to_string(each.index); });

TEST_P(Replays, OfALogDecideTheSame) {
  const auto config = test::config_of(R"("limits": {"each": {"per": "client_ip", )" + GetParam() +
                                      R"(}, "all": {"rate": "300/minute", "per": "total"}},
                                      "routes": [{"path": "/*", "to": "app", "limits": ["each", "all"]}])");
  Decisions first;
  std::string log;
  const auto run_first = test::simulated(config, crowd(), {.each = [&](const engine::ArrivalResult& decided) {
                                           first.add(decided);
                                           log += line_of(decided);
                                         }});
  ASSERT_EQ(run_first.figures.requests, 1500U);
  EXPECT_GT(first.rejected(), 10U);
  EXPECT_LT(first.rejected(), 1490U);

  const headgate::test::TemporaryLog file(log);
  auto arrivals = access_logs::LogArrivals::open({.files = {file.path()}});
  ASSERT_TRUE(arrivals.has_value()) << arrivals.error();
  Decisions second;
  const auto again =
      run(policy_of(config), **arrivals, {.each = [&](const engine::ArrivalResult& one) { second.add(one); }});
  EXPECT_EQ((*arrivals)->counts().unread, 0U);
  EXPECT_EQ(again.figures.refused, run_first.figures.refused);
  ASSERT_EQ(second.all().size(), first.all().size());
  for (std::size_t i = 0; i < first.all().size(); ++i) ASSERT_EQ(first.all()[i], second.all()[i]) << "request " << i;
}

}  // namespace
}  // namespace headgate::simulate
