// The messages of Envoy's rate limit service, byte by byte.

#include "headgate/envoy/rate_limit_service.hpp"

#include <gtest/gtest.h>

#include <string>

namespace headgate::envoy {
namespace {

std::string field(int number, const std::string& bytes) {
  return std::string(1, static_cast<char>(number << 3 | 2)) + static_cast<char>(bytes.size()) + bytes;
}

std::string varint_field(int number, int value) {
  return std::string(1, static_cast<char>(number << 3)) + static_cast<char>(value);
}

TEST(RateLimitService, ReadsDomainDescriptorsAndHits) {
  const auto entry = field(1, field(1, "generic_key") + field(2, "login"));
  const auto other = field(1, field(1, "remote_address") + field(2, "\xFF"));
  const auto request = read_request(field(1, "edge") +
                                    field(2, entry + other + field(2, varint_field(1, 5) + varint_field(2, 2)) +
                                                 field(3, varint_field(1, 7)) + varint_field(4, 1)) +
                                    field(2, entry) + varint_field(3, 3) + field(9, "of a later version"));
  ASSERT_TRUE(request.has_value());
  EXPECT_EQ(request->domain, "edge");
  EXPECT_EQ(request->hits, 3U);
  ASSERT_EQ(request->descriptors.size(), 2U);
  const auto& first = request->descriptors[0];
  ASSERT_EQ(first.entries.size(), 2U);
  EXPECT_EQ(first.entries[0], std::pair(std::string("generic_key"), std::string("login")));
  EXPECT_EQ(first.entries[1].second, "\xFF");
  ASSERT_TRUE(first.rate.has_value());
  EXPECT_EQ(first.rate->count, 5U);
  EXPECT_EQ(first.rate->unit, RateUnit::minute);
  EXPECT_EQ(first.hits, 7U);
  EXPECT_TRUE(first.gives_back);
  EXPECT_FALSE(request->descriptors[1].hits.has_value());
}

TEST(RateLimitService, RefusesWhatIsNoMessage) {
  EXPECT_FALSE(read_request("\x0A\x7F").has_value());
  EXPECT_FALSE(read_request("hello").has_value());
  EXPECT_TRUE(read_request("").has_value()) << "all fields are optional";
}

TEST(RateLimitService, WritesTheDecision) {
  const auto bytes = write_response({.over = true,
                                     .statuses = {{.over = true,
                                                   .limit = "login",
                                                   .count = 10,
                                                   .unit = RateUnit::minute,
                                                   .remaining = 2,
                                                   .reset_seconds = 30},
                                                  {}},
                                     .headers = {{"retry-after", "30"}},
                                     .metadata = {{"limit", "login"}}});
  const auto limit = varint_field(1, 10) + varint_field(2, 2) + field(3, "login");
  EXPECT_EQ(bytes,
            varint_field(1, 2) +
                field(2, varint_field(1, 2) + field(2, limit) + varint_field(3, 2) + field(4, varint_field(1, 30))) +
                field(2, varint_field(1, 1)) + field(3, field(1, "retry-after") + field(2, "30")) +
                field(6, field(1, field(1, "limit") + field(2, field(3, "login")))));
}

}  // namespace
}  // namespace headgate::envoy
