#include "headgate/simulate/made_arrivals.hpp"

#include "unit/simulate/policies.hpp"

#include <gtest/gtest.h>

#include <map>

namespace headgate::simulate {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;

struct Made {
  Instant at;
  std::string address;
  std::string tenant;
};

std::vector<Made> made(std::string_view text, std::uint64_t seed = 1) {
  const auto pattern = parse_arrivals(text);
  if (pattern.has_error()) {
    ADD_FAILURE() << text << ": " << pattern.error().message;
    return {};
  }
  MadeArrivals arrivals(*pattern, seed);
  std::vector<Made> out;
  while (const auto* const one = arrivals.next())
    out.push_back({one->at, one->address.to_string(), std::string(arrivals.value_of("tenant"))});
  return out;
}

TEST(MadeArrivals, ComeEvenlyWhenTheyAreSteady) {
  const auto all = made("steady 10/s for 3s");
  ASSERT_EQ(all.size(), 30U);
  for (std::size_t i = 1; i < all.size(); ++i) EXPECT_EQ(all[i].at - all[i - 1].at, std::chrono::milliseconds(100));
  EXPECT_EQ(all.front().address, "198.18.0.1");
  EXPECT_EQ(all.front().tenant, "tenant-1");
}

TEST(MadeArrivals, ComeByChanceAtThePoissonRate) {
  const auto all = made("poisson 100/s for 1m");
  EXPECT_NEAR(static_cast<double>(all.size()), 6000, 6 * 78) << "six standard deviations";
  EXPECT_LT(all.back().at - all.front().at, minutes(1));
}

TEST(MadeArrivals, OfABurstComeAtOnce) {
  const auto all = made("steady 1/s for 10s, burst 5 at 4500ms");
  ASSERT_EQ(all.size(), 15U);
  for (std::size_t i = 5; i < 10; ++i) EXPECT_EQ(all[i].at - all.front().at, std::chrono::milliseconds(4500));
}

TEST(MadeArrivals, FollowEachOtherUnlessAMomentIsGiven) {
  const auto all = made("steady 1/s for 10s, steady 2/s for 10s, steady 1/s for 1s at 0");
  EXPECT_EQ(all.size(), 31U);
  EXPECT_EQ(all[1].at, all[0].at);
  EXPECT_EQ(all.back().at - all.front().at, std::chrono::milliseconds(19500));
}

TEST(MadeArrivals, AreDividedAmongTenants) {
  std::map<std::string, double> even;
  std::map<std::string, double> zipf;
  for (const auto& one : made("steady 1000/s for 10s, 3 tenants")) ++even[one.tenant];
  for (const auto& one : made("3 tenants zipf, steady 1000/s for 11s")) ++zipf[one.tenant];
  EXPECT_EQ(even.size(), 3U);
  EXPECT_NEAR(even["tenant-3"], 3333, 300);
  EXPECT_NEAR(zipf["tenant-1"], 6000, 300);
  EXPECT_NEAR(zipf["tenant-2"], 3000, 300);
  EXPECT_NEAR(zipf["tenant-3"], 2000, 300);
}

TEST(MadeArrivals, AreTheSameForOneSeed) {
  const auto moments = [](std::uint64_t seed) {
    std::vector<Instant> out;
    for (const auto& one : made("poisson 100/s for 10s, 5 tenants", seed)) out.push_back(one.at);
    return out;
  };
  EXPECT_EQ(moments(7), moments(7));
  EXPECT_NE(moments(7), moments(8));
}

TEST(MadeArrivals, HaveThePathAndTheMethod) {
  const auto pattern = parse_arrivals("burst 1, path /v1/items?a=1, method POST");
  ASSERT_TRUE(pattern.has_value());
  MadeArrivals arrivals(*pattern, 1);
  const auto* const one = arrivals.next();
  ASSERT_NE(one, nullptr);
  EXPECT_EQ(one->method, "POST");
  EXPECT_EQ(one->path, "/v1/items");
  EXPECT_EQ(one->query, "?a=1");
  EXPECT_EQ(arrivals.next(), nullptr);
}

TEST(MadeArrivals, SayWhereTheirDescriptionIsWrong) {
  EXPECT_EQ(test::fault_text(parse_arrivals("")), "0+1 a clause is missing here");
  EXPECT_EQ(test::fault_text(parse_arrivals("3 tenants")), "0+1 no requests are described");
  EXPECT_EQ(test::fault_text(parse_arrivals("burst 5,")), "8+1 a clause is missing here");
  EXPECT_EQ(test::fault_text(parse_arrivals("possion 1/s for 1s")), "0+7 \"possion\" begins no clause");
  EXPECT_EQ(test::fault_text(parse_arrivals("steady 1/s")), "10+1 the length of time is missing");
  EXPECT_EQ(test::fault_text(parse_arrivals("steady 100r/m for 1s")), "7+6 \"100r/m\" is not a rate");
  EXPECT_EQ(test::fault_text(parse_arrivals("steady 1/s for")), "14+1 a time is missing");
  EXPECT_EQ(test::fault_text(parse_arrivals("steady 1/s for 0")), "11+3 it lasts no time");
  EXPECT_EQ(test::fault_text(parse_arrivals("steady 1/s for 1s, burst x")),
            "25+1 a burst has from 1 to 100000000 requests");
  EXPECT_EQ(test::fault_text(parse_arrivals("burst 5 in 1s")), "8+2 \"in\" is not understood here");
  EXPECT_EQ(test::fault_text(parse_arrivals("burst 5 at 1s twice")), "14+5 \"twice\" is not understood here");
  EXPECT_EQ(test::fault_text(parse_arrivals("burst 5, 0 tenants")), "9+1 there are from 1 to 100000 tenants");
  EXPECT_EQ(test::fault_text(parse_arrivals("burst 5, 3 tenants odd")),
            "19+3 \"odd\" does not say how requests are divided among them");
  EXPECT_EQ(test::fault_text(parse_arrivals("burst 5, 3 people")), "11+6 a number is followed by \"tenants\"");
  EXPECT_EQ(test::fault_text(parse_arrivals("burst 5, path x")), "14+1 a path begins with '/'");
}

}  // namespace
}  // namespace headgate::simulate
