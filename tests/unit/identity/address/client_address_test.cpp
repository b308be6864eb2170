#include "headgate/identity/client_address.hpp"

#include "headgate/identity/network.hpp"

#include <boost/asio/ip/address.hpp>

#include <gtest/gtest.h>

#include <array>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace headgate::identity {
namespace {

using boost::asio::ip::make_address;

std::vector<Network> networks(std::initializer_list<std::string_view> texts) {
  std::vector<Network> out;
  for (const auto text : texts) out.push_back(*parse_network(text));
  return out;
}

/// The client behind `peer`, with 10/8, 192.168.0.1 and fd00::/8 trusted.
std::string client(std::string_view peer, std::vector<std::string_view> fields) {
  static const auto trusted = networks({"10.0.0.0/8", "192.168.0.1", "fd00::/8"});
  return walk_hops(make_address(peer), AddressField::x_forwarded_for, fields, trusted).client.to_string();
}

TEST(ClientAddress, IsThePeerWhenNobodyIsTrusted) {
  const std::vector<std::string_view> fields{"203.0.113.7"};
  const auto hops = walk_hops(make_address("10.0.0.1"), AddressField::x_forwarded_for, fields, {});
  EXPECT_EQ(hops.client, make_address("10.0.0.1"));
  EXPECT_EQ(hops.believed, 0U);
}

TEST(ClientAddress, IsThePeerWhenTheFieldComesFromAnUntrustedPeer) {
  EXPECT_EQ(client("198.51.100.9", {"203.0.113.7"}), "198.51.100.9");
}

TEST(ClientAddress, IsTheTrustedPeerWhenThereIsNoField) { EXPECT_EQ(client("10.0.0.1", {}), "10.0.0.1"); }

TEST(ClientAddress, IsWhatATrustedPeerReports) { EXPECT_EQ(client("10.0.0.1", {"203.0.113.7"}), "203.0.113.7"); }

TEST(ClientAddress, IgnoresWhatTheClientItselfWroteToTheLeft) {
  EXPECT_EQ(client("10.0.0.1", {"1.1.1.1, 10.0.0.99, 203.0.113.7, 10.0.0.2"}), "203.0.113.7");
}

TEST(ClientAddress, ReadsSeveralFieldsAsOneListInOrder) {
  EXPECT_EQ(client("10.0.0.1", {"1.1.1.1", "203.0.113.7", "10.0.0.3, 10.0.0.2"}), "203.0.113.7");
}

TEST(ClientAddress, IsTheLeftmostWhenEveryHopIsTrusted) {
  EXPECT_EQ(client("10.0.0.1", {"10.0.0.4, 10.0.0.3", "10.0.0.2"}), "10.0.0.4");
}

TEST(ClientAddress, TakesPortsAndBracketsAndSpaces) {
  EXPECT_EQ(client("10.0.0.1", {"203.0.113.7:5678"}), "203.0.113.7");
  EXPECT_EQ(client("10.0.0.1", {"[2001:db8::1]:443"}), "2001:db8::1");
  EXPECT_EQ(client("10.0.0.1", {"[2001:db8::1]"}), "2001:db8::1");
  EXPECT_EQ(client("10.0.0.1", {"2001:db8::1"}), "2001:db8::1");
  EXPECT_EQ(client("10.0.0.1", {"\t 203.0.113.7 \t,  10.0.0.2:80 "}), "203.0.113.7");
}

TEST(ClientAddress, TakesIpv4MappedIpv6ForIpv4InPeerAndEntries) {
  EXPECT_EQ(client("::ffff:10.0.0.1", {"::ffff:203.0.113.7, ::ffff:10.0.0.2"}), "203.0.113.7");
  EXPECT_EQ(client("::ffff:198.51.100.9", {"203.0.113.7"}), "198.51.100.9");
  EXPECT_EQ(client("10.0.0.1", {"[::ffff:cb00:7107]:80"}), "203.0.113.7");
}

TEST(ClientAddress, WalksThroughHopsOfBothFamilies) {
  EXPECT_EQ(client("fd00::1", {"203.0.113.7, 192.168.0.1, fd12::2, 10.0.0.2"}), "203.0.113.7");
}

TEST(ClientAddress, CountsHowManyEntriesWereBelieved) {
  const auto trusted = networks({"10.0.0.0/8"});
  const auto believed = [&](std::string_view field) {
    return walk_hops(make_address("10.0.0.1"), AddressField::x_forwarded_for, {&field, 1}, trusted).believed;
  };
  EXPECT_EQ(believed("unknown"), 0U);
  EXPECT_EQ(believed("203.0.113.7"), 1U);
  EXPECT_EQ(believed("6.6.6.6, 203.0.113.7, 10.0.0.3, 10.0.0.2"), 3U);
  EXPECT_EQ(believed("10.0.0.3, 10.0.0.2"), 2U);
}

TEST(ClientAddress, ReadsEveryWayToWriteIpv6) {
  EXPECT_EQ(client("fd00::1", {"1:2:3:4:5:6:7:8"}), "1:2:3:4:5:6:7:8");
  EXPECT_EQ(client("fd00::1", {"2001:DB8::aBcD:0012"}), "2001:db8::abcd:12");
  EXPECT_EQ(client("fd00::1", {"::"}), "::");
  EXPECT_EQ(client("fd00::1", {"1::"}), "1::");
  EXPECT_EQ(client("fd00::1", {"::2:3:4:5:6:7:8"}), "0:2:3:4:5:6:7:8");
  EXPECT_EQ(client("fd00::1", {"1:2:3:4:5:6:7::"}), "1:2:3:4:5:6:7:0");
  EXPECT_EQ(client("fd00::1", {"64:ff9b::192.0.2.33"}), "64:ff9b::c000:221");
  EXPECT_EQ(client("fd00::1", {"1:2:3:4:5:6:192.0.2.33"}), "1:2:3:4:5:6:c000:221");
}

class GarbageEntry : public testing::TestWithParam<std::string_view> {};

TEST_P(GarbageEntry, EndsTheWalkAtTheHopThatReportedIt) {
  const std::string field = "203.0.113.7, " + std::string(GetParam()) + ", 10.0.0.2";
  EXPECT_EQ(client("10.0.0.1", {field}), "10.0.0.2");
}

INSTANTIATE_TEST_SUITE_P(
    Kinds, GarbageEntry,
    testing::Values("unknown", "", " ", "_hidden", "localhost", "10.0.0", "10.0.0.1.2", "10.0.0.256", "010.0.0.1",
                    "0x0a.0.0.1", "167772161", "10.0.0.1:", "10.0.0.1:x", "10.0.0.1:65536", "10.0.0.1:-1",
                    "10.0.0.1:000080", "10.0.0.1:_80", "10.0.0.1:4294967376", "[fd00::1]:80:", "1::2::3", "::1.2.3",
                    "::1.2.3.256", "1:2:3:4:5:6:7:1.2.3.4", "1:2:3:4:5:6:7:8::", "::1:2:3:4:5:6:7:8", "1:2:3:4:5:6:7",
                    ":1::", "1::2:", "::12345", "::1.2.3.4:5", "10.0.0.1 10.0.0.2", "[10.0.0.1]", "[fd00::1",
                    "fd00::1]", "[fd00::1]443", "[fd00::1]:", "[]", "[]:80", "fe80::1%eth0", "[fe80::1%1]:80",
                    "fd00:::1", "::g", "1:2:3:4:5:6:7:8:9", "\"10.0.0.1\"", "for=10.0.0.1", "10.0.0.1/8", "-1.0.0.1",
                    "fd00:0000:0000:0000:0000:0000:0000:0000:0000:0001", std::string_view("fd00::1\0x", 9),
                    std::string_view("10.0.0.1\0", 9), "10.0.0.1;", "+1.0.0.1", "1.2.3.4%1"));

TEST(ClientAddress, KeepsToThePeerWhenTheRightmostEntryIsGarbage) {
  EXPECT_EQ(client("10.0.0.1", {"203.0.113.7, unknown"}), "10.0.0.1");
  EXPECT_EQ(client("10.0.0.1", {"203.0.113.7,"}), "10.0.0.1");
  EXPECT_EQ(client("10.0.0.1", {"203.0.113.7", ""}), "10.0.0.1");
  EXPECT_EQ(client("10.0.0.1", {",203.0.113.7"}), "203.0.113.7") << "garbage left of the client is never reached";
}

TEST(ClientAddress, TreatsAnEmptyLeftmostEntryAsGarbageToo) {
  EXPECT_EQ(client("10.0.0.1", {",10.0.0.2"}), "10.0.0.2");
}

TEST(ClientAddress, StopsAtTheSixtyFourthStep) {
  const auto chain = [](int trusted_hops) {
    std::string field = "203.0.113.7";
    for (int hop = trusted_hops; hop > 0; --hop) field += ", 10.0.1." + std::to_string(hop);
    return field;
  };
  const auto within = chain(63);
  EXPECT_EQ(client("10.0.0.1", {within}), "203.0.113.7");
  const auto beyond = chain(64);
  EXPECT_EQ(client("10.0.0.1", {beyond}), "10.0.1.64");
}

TEST(ClientAddress, DropsTheZoneOfALinkLocalPeer) {
  boost::asio::ip::address_v6 peer = boost::asio::ip::make_address_v6("fe80::1");
  peer.scope_id(3);
  EXPECT_EQ(walk_hops(peer, AddressField::x_forwarded_for, {}, {}).client.to_string(), "fe80::1");
}

TEST(Contains, ComparesOnlyTheBitsOfThePrefix) {
  const auto block = networks({"10.16.0.0/12"});
  EXPECT_TRUE(contains(block, make_address("10.16.0.0")));
  EXPECT_TRUE(contains(block, make_address("10.31.255.255")));
  EXPECT_FALSE(contains(block, make_address("10.32.0.0")));
  EXPECT_FALSE(contains(block, make_address("10.15.255.255")));
  const auto odd = networks({"2001:db8:8000::/33"});
  EXPECT_TRUE(contains(odd, make_address("2001:db8:ffff::1")));
  EXPECT_FALSE(contains(odd, make_address("2001:db8:7fff::1")));
}

TEST(Contains, HoldsEverythingOfOneFamilyUnderAPrefixOfZero) {
  EXPECT_TRUE(contains(networks({"0.0.0.0/0"}), make_address("203.0.113.7")));
  EXPECT_TRUE(contains(networks({"0.0.0.0/0"}), make_address("::ffff:203.0.113.7")));
  EXPECT_FALSE(contains(networks({"0.0.0.0/0"}), make_address("2001:db8::1")));
  EXPECT_TRUE(contains(networks({"::/0"}), make_address("2001:db8::1")));
  EXPECT_FALSE(contains(networks({"::/0"}), make_address("203.0.113.7")));
}

TEST(Contains, TakesAMappedBlockMadeByHandForIpv4) {
  const std::vector<Network> mapped{
      boost::asio::ip::network_v6(boost::asio::ip::make_address_v6("::ffff:10.0.0.0"), 104)};
  EXPECT_TRUE(contains(mapped, make_address("10.255.0.1")));
  EXPECT_TRUE(contains(mapped, make_address("::ffff:10.1.2.3")));
  EXPECT_FALSE(contains(mapped, make_address("11.0.0.1")));
}

std::string key(std::string_view address, unsigned prefix) {
  std::array<char, 64> buffer;
  return std::string(client_ip_key(make_address(address), prefix, buffer));
}

TEST(ClientIpKey, IsTheAddressForIpv4) {
  EXPECT_EQ(key("203.0.113.7", 64), "203.0.113.7");
  EXPECT_EQ(key("255.255.255.255", 1), "255.255.255.255");
  EXPECT_EQ(key("0.0.0.0", 64), "0.0.0.0");
  EXPECT_EQ(key("::ffff:203.0.113.7", 64), "203.0.113.7");
}

TEST(ClientIpKey, IsTheBlockForIpv6) {
  EXPECT_EQ(key("2001:db8:0:1:aaaa:bbbb:cccc:dddd", 64), "2001:db8:0:1::/64");
  EXPECT_EQ(key("2001:db8:0:1::1", 64), key("2001:db8:0:1:ffff::", 64));
  EXPECT_NE(key("2001:db8:0:1::1", 64), key("2001:db8:0:2::1", 64));
  EXPECT_EQ(key("2001:db8:0:1ff::", 57), "2001:db8:0:180::/57");
  EXPECT_EQ(key("ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", 128), "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff/128");
  EXPECT_EQ(key("ffff::", 1), "8000::/1");
}

TEST(ClientIpKey, WritesIpv6AsRfc5952Does) {
  EXPECT_EQ(key("2001:0db8:0:0:0:0:2:1", 128), "2001:db8::2:1/128");
  EXPECT_EQ(key("2001:db8:0:1:1:1:1:1", 128), "2001:db8:0:1:1:1:1:1/128") << "one zero group alone is not shortened";
  EXPECT_EQ(key("2001:0:0:1:0:0:0:1", 128), "2001:0:0:1::1/128") << "the longest run is";
  EXPECT_EQ(key("2001:db8:0:0:1:0:0:1", 128), "2001:db8::1:0:0:1/128") << "the first of equals is";
  EXPECT_EQ(key("::", 64), "::/64");
  EXPECT_EQ(key("::1", 128), "::1/128");
  EXPECT_EQ(key("1::", 128), "1::/128");
}

TEST(ClientIpKey, BringsThePrefixIntoRangeAndRefusesASmallBuffer) {
  EXPECT_EQ(key("ffff::1", 0), "8000::/1");
  EXPECT_EQ(key("ffff::1", 500), "ffff::1/128");
  std::array<char, 16> small;
  EXPECT_EQ(client_ip_key(make_address("10.0.0.1"), 64, small), "");
}

}  // namespace
}  // namespace headgate::identity
