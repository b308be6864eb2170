// Two sizes of one limit take turns on a key of which gateways lease permits.

#include "fleet.hpp"

#include <gtest/gtest.h>

#include <cstdint>

namespace headgate::limit {
namespace {

Rule leased_size(std::string_view rate, std::uint64_t burst, std::string_view algorithm) {
  Rule rule = test::make_rule(rate, burst, "turns", algorithm);
  rule.leases = true;
  return rule;
}

class SizesInTurn : public testing::TestWithParam<const char*> {};

TEST_P(SizesInTurn, TogetherAdmitNoMoreThanTheLargestWithLeases) {
  const bool bucket = std::string_view(GetParam()) == "token_bucket";
  const Rule large = leased_size("6000/hour", bucket ? 6000 : 0, GetParam());
  const Rule small = leased_size("600/hour", bucket ? 600 : 0, GetParam());
  Fleet fleet(2, {});
  std::uint64_t admitted = 0;
  std::uint64_t rejected = 0;
  std::uint64_t leased = 0;
  for (int request = 0; request < 20'000; ++request)
    fleet.at(request * 500us, [&, request] {
      const std::size_t gateway = request % 2 == 0 ? 0 : 1;
      const Rule& rule = request % 1500 == 7 || request % 1500 == 8 ? small : large;
      fleet.request(
          gateway, {test::make_check(rule, "203.0.113.9")}, [&] { ++admitted; }, [&](auto) { ++rejected; });
    });
  fleet.run_until(12s);
  for (const std::size_t gateway : {0U, 1U}) leased += fleet.local(gateway).leased();
  EXPECT_LE(admitted, 6000U + 6000 * 12 / 3600 + 1);
  EXPECT_GT(admitted, 5500U);
  EXPECT_GT(rejected, 10'000U);
  EXPECT_GT(leased, 1000U) << "else this tests no leases";
}

INSTANTIATE_TEST_SUITE_P(Leasable, SizesInTurn, testing::Values("token_bucket", "fixed_window"));

}  // namespace
}  // namespace headgate::limit
