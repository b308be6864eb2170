#include "headgate/session/connection_bounds.hpp"

#include "headgate/identity/network.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace headgate::session {
namespace {

using namespace std::chrono_literals;
using Why = ConnectionBounds::Why;
using boost::asio::ip::make_address;

struct ConnectionBoundsTest : testing::Test {
  Why admit(const std::string& address) {
    auto [place, why] = table.admit(bounds, make_address(address), now);
    if (why == Why::none) places.push_back(std::move(place));
    return why;
  }

  Bounds bounds;
  ConnectionBounds table;
  std::vector<ConnectionBounds::Place> places;
  ConnectionBounds::Moment now{1h};
};

TEST_F(ConnectionBoundsTest, AddressesAreBoundedEachOnItsOwn) {
  bounds.connections_per_address = 2;
  EXPECT_EQ(admit("192.0.2.1"), Why::none);
  EXPECT_EQ(admit("192.0.2.1"), Why::none);
  EXPECT_EQ(admit("192.0.2.1"), Why::address);
  EXPECT_EQ(admit("192.0.2.2"), Why::none);
  places.erase(places.begin());
  EXPECT_EQ(admit("192.0.2.1"), Why::none);
  EXPECT_EQ(table.count(Why::address), 1U);
}

TEST_F(ConnectionBoundsTest, TheHeaviestAddressesAreKnownWhateverComesAndGoes) {
  for (int i = 0; i < 3; ++i) EXPECT_EQ(admit("192.0.2.1"), Why::none);
  for (int i = 0; i < 5; ++i) EXPECT_EQ(admit("192.0.2.2"), Why::none);
  EXPECT_EQ(admit("192.0.2.3"), Why::none);
  EXPECT_EQ(table.placed(), 9U);
  auto heavy = table.heaviest(2);
  ASSERT_EQ(heavy.size(), 2U);
  EXPECT_EQ(heavy[0].address, make_address("192.0.2.2"));
  EXPECT_EQ(heavy[0].open, 5U);
  EXPECT_EQ(heavy[1].open, 3U);
  places.erase(places.begin() + 3, places.begin() + 7);  // four of the second
  heavy = table.heaviest(8);
  ASSERT_EQ(heavy.size(), 3U);
  EXPECT_EQ(heavy[0].address, make_address("192.0.2.1"));
  EXPECT_EQ(table.open(heavy[0].key), 3U);
  places.clear();
  EXPECT_TRUE(table.heaviest(8).empty());
  EXPECT_EQ(table.placed(), 0U);
}

TEST_F(ConnectionBoundsTest, AnIPv6BlockIsOneClient) {
  bounds.connections_per_address = 1;
  EXPECT_EQ(admit("2001:db8::1"), Why::none);
  EXPECT_EQ(admit("2001:db8::2"), Why::address);
  EXPECT_EQ(admit("2001:db8:0:1::1"), Why::none);
  EXPECT_EQ(admit("192.0.2.1"), Why::none);
  EXPECT_EQ(admit("::ffff:192.0.2.1"), Why::address) << "the same client";
}

TEST_F(ConnectionBoundsTest, NewOnesComeBackAtTheirRate) {
  bounds.connection_rate = {4, 1s};
  for (int i = 0; i < 4; ++i) EXPECT_EQ(admit("192.0.2.1"), Why::none) << i;
  EXPECT_EQ(admit("192.0.2.1"), Why::rate);
  places.clear();
  EXPECT_EQ(admit("192.0.2.1"), Why::rate) << "closing one gives no new one back";
  now += 250ms;
  EXPECT_EQ(admit("192.0.2.1"), Why::none);
  EXPECT_EQ(admit("192.0.2.1"), Why::rate);
  now += 10s;
  for (int i = 0; i < 4; ++i) EXPECT_EQ(admit("192.0.2.1"), Why::none) << i;
  EXPECT_EQ(admit("192.0.2.1"), Why::rate);
}

TEST_F(ConnectionBoundsTest, ExemptAddressesAreNot) {
  bounds.connections_per_address = 1;
  bounds.exempt = {*identity::parse_network("10.0.0.0/8")};
  for (int i = 0; i < 5; ++i) EXPECT_EQ(admit("10.1.2.3"), Why::none);
  EXPECT_EQ(admit("192.0.2.1"), Why::none);
  EXPECT_EQ(admit("192.0.2.1"), Why::address);
}

TEST_F(ConnectionBoundsTest, ALowerBoundThrowsNobodyOut) {
  bounds.connections_per_address = 3;
  for (int i = 0; i < 3; ++i) EXPECT_EQ(admit("192.0.2.1"), Why::none);
  bounds.connections_per_address = 1;
  EXPECT_EQ(admit("192.0.2.1"), Why::address);
  places.resize(1);
  EXPECT_EQ(admit("192.0.2.1"), Why::address);
  places.clear();
  EXPECT_EQ(admit("192.0.2.1"), Why::none);
}

}  // namespace
}  // namespace headgate::session
