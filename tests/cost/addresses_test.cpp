// Lists of addresses: a million blocks cost a request hardly more than ten.

#include "cost/spent.hpp"

#include "headgate/http/h1/parse.hpp"
#include "headgate/identity/address_blocks.hpp"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace headgate::identity {
namespace {

using test::spent_by;

AddressBlocks blocks(std::size_t count) {
  std::mt19937 random(2026);
  std::vector<Network> all;
  for (std::size_t i = 0; i < count; ++i)
    all.emplace_back(boost::asio::ip::network_v4(
        boost::asio::ip::address_v4(static_cast<std::uint32_t>(random()) & 0xffffff00U), 24));
  return AddressBlocks(all);
}

/// Steps of so many look-ups.
std::uint64_t steps(const AddressBlocks& among, int count) {
  std::mt19937 random(7);
  int found = 0;
  const auto spent = spent_by([&] {
    for (int i = 0; i < count; ++i)
      found += among.smallest(boost::asio::ip::address_v4(static_cast<std::uint32_t>(random()))) >= 0 ? 1 : 0;
  });
  EXPECT_LT(found, count);
  return spent.steps;
}

/// Reading its head is the least that a request costs.
TEST(ManyBlocks, CostARequestAtMostThreeTenthsMoreThanTen) {
  constexpr int kRequests = 1'000;
  constexpr std::string_view kHead =
      "GET /articles/2024/a-page?from=list&page=2 HTTP/1.1\r\nHost: www.example.com\r\nUser-Agent: curl/7.88.1\r\n"
      "Accept: */*\r\n\r\n";
  http::RequestHead request;
  const auto head = spent_by([&] {
    for (int i = 0; i < kRequests; ++i)
      EXPECT_TRUE(http::h1::parse_request(kHead, {8'192, 8'192}, request).has_value());
  });
  const auto ten = head.steps + steps(blocks(10), kRequests);
  const auto million = head.steps + steps(blocks(1'000'000), kRequests);
  EXPECT_LE(million, ten * 13 / 10) << ten << " steps";
}

}  // namespace
}  // namespace headgate::identity
