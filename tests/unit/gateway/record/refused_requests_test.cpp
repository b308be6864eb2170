#include "headgate/gateway/refused_requests.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>

namespace headgate::gateway {
namespace {

struct KeptRequests : testing::Test {
  void note(const std::string& owner, const std::string& reason = "") {
    RefusedRequest request;
    request.owner = owner;
    request.reason = reason;
    kept.note(std::move(request));
  }
  std::size_t of(const std::string& owner) const {
    const auto all = kept.list();
    return static_cast<std::size_t>(
        std::count_if(all.begin(), all.end(), [&](const auto& each) { return each.owner == owner; }));
  }
  RefusedRequests kept;
};

TEST_F(KeptRequests, OfOneStrangerDisplaceOnlyHisOwn) {
  note("mine");
  for (int i = 0; i < 10'000; ++i) note("stranger", std::to_string(i));
  EXPECT_EQ(of("mine"), 1U);
  EXPECT_EQ(of("stranger"), RefusedRequests::kOfOne);
  EXPECT_EQ(kept.list().back().reason, "9999") << "his newest stay";
}

TEST_F(KeptRequests, AreNotDescribedForASecondIfTheirOwnerSendsMany) {
  const Instant now{std::chrono::seconds(1000)};
  for (std::size_t i = 0; i < RefusedRequests::kOfOne; ++i) {
    EXPECT_TRUE(kept.wants("stranger", now));
    RefusedRequest request;
    request.owner = "stranger";
    request.at = now;
    kept.note(std::move(request));
  }
  EXPECT_FALSE(kept.wants("stranger", now));
  EXPECT_FALSE(kept.wants("stranger", now + std::chrono::milliseconds(999)));
  EXPECT_TRUE(kept.wants("stranger", now + std::chrono::seconds(1)));
  EXPECT_TRUE(kept.wants("stranger", now - std::chrono::hours(1))) << "the clock was set back";
  EXPECT_TRUE(kept.wants("mine", now));
}

TEST_F(KeptRequests, AreBoundedWhoeverSendsThem) {
  for (int i = 0; i < 1000; ++i) note(std::to_string(i));
  EXPECT_EQ(kept.list().size(), RefusedRequests::kKept);
  EXPECT_EQ(kept.list().back().owner, "999");
}

TEST_F(KeptRequests, LeaveFirstWhereOneHasTheMost) {
  note("mine");
  for (std::size_t i = 0; i < RefusedRequests::kOfOne; ++i) note("heavy");
  for (std::size_t i = 0; i < RefusedRequests::kKept - RefusedRequests::kOfOne; ++i) note(std::to_string(i));
  EXPECT_EQ(of("mine"), 1U);
  EXPECT_EQ(of("heavy"), RefusedRequests::kOfOne - 1);
}

}  // namespace
}  // namespace headgate::gateway
