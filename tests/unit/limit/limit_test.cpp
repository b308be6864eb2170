#include "headgate/limit/limit.hpp"

#include <gtest/gtest.h>

#include <array>

namespace headgate::limit {
namespace {

using std::chrono::seconds;

TEST(Per, ReadsAsAUserWritesIt) {
  EXPECT_EQ(to_text(Per{Per::Kind::client_ip, ""}), "client_ip");
  EXPECT_EQ(to_text(Per{Per::Kind::api_key, ""}), "api_key");
  EXPECT_EQ(to_text(Per{Per::Kind::jwt_claim, "org_id"}), "jwt.org_id");
  EXPECT_EQ(to_text(Per{Per::Kind::header, "x-tenant"}), "header:x-tenant");
  EXPECT_EQ(to_text(Per{Per::Kind::route, ""}), "route");
  EXPECT_EQ(to_text(Per{Per::Kind::host, ""}), "host");
  EXPECT_EQ(to_text(Per{Per::Kind::upstream, ""}), "upstream");
  EXPECT_EQ(to_text(Per{Per::Kind::total, ""}), "total");
}

TEST(Binding, IsNothingWhereNothingWasAsked) { EXPECT_EQ(binding({}), nullptr); }

TEST(Binding, IsTheRefusalThatLastsLongest) {
  const std::array verdicts = {
      Verdict{.allowed = false, .limit = 5, .remaining = 0, .retry_after = seconds(3), .reset_after = seconds(90)},
      Verdict{.allowed = true, .limit = 5, .remaining = 0, .retry_after = seconds(0), .reset_after = seconds(900)},
      Verdict{.allowed = false, .limit = 5, .remaining = 1, .retry_after = seconds(4), .reset_after = seconds(5)}};
  EXPECT_EQ(binding(verdicts), &verdicts[2]);
}

TEST(Binding, IsTheLeastShareLeftWhereAllAgree) {
  const std::array verdicts = {Verdict{.allowed = true, .limit = 10, .remaining = 3},
                               Verdict{.allowed = true, .limit = 1000, .remaining = 200},
                               Verdict{.allowed = true, .limit = 3, .remaining = 2}};
  EXPECT_EQ(binding(verdicts), &verdicts[1]);
}

TEST(Binding, IsTheOneFullAgainTheLatestWhereSharesAreEqual) {
  const std::array verdicts = {Verdict{.allowed = true, .limit = 10, .remaining = 5, .reset_after = seconds(1)},
                               Verdict{.allowed = true, .limit = 20, .remaining = 10, .reset_after = seconds(60)},
                               Verdict{.allowed = true, .limit = 30, .remaining = 15, .reset_after = seconds(2)}};
  EXPECT_EQ(binding(verdicts), &verdicts[1]);
}

TEST(Binding, ComparesSharesOfTheLargestLimitsExactly) {
  constexpr std::uint64_t kMost = 999'999'999'999'999;
  const std::array verdicts = {Verdict{.allowed = true, .limit = kMost, .remaining = kMost - 1},
                               Verdict{.allowed = true, .limit = kMost, .remaining = kMost - 2}};
  EXPECT_EQ(binding(verdicts), &verdicts[1]);
}

}  // namespace
}  // namespace headgate::limit
