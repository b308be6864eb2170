// The chain of hops that is sent to the server; and X-Real-IP, which has one hop.

#include "headgate/identity/client_address.hpp"
#include "headgate/identity/network.hpp"

#include <boost/asio/ip/address.hpp>

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

namespace headgate::identity {
namespace {

using boost::asio::ip::make_address;

/// The chain through 10.0.0.1, with 10/8 trusted, as text.
std::string chain(AddressField field, const std::vector<std::string_view>& fields, std::string_view peer = "10.0.0.1") {
  static const std::vector<Network> trusted{*parse_network("10.0.0.0/8")};
  const auto hops = walk_hops(make_address(peer), field, fields, trusted);
  Chain room;
  std::string out;
  for (const auto& address : believed_chain(hops, make_address(peer), field, fields, room)) {
    std::array<char, kMaxAddressText> buffer;
    out += (out.empty() ? "" : ", ") + std::string(address_text(address, buffer));
  }
  return out;
}

TEST(BelievedChain, IsTheClientThenEachHopThenThePeer) {
  EXPECT_EQ(chain(AddressField::x_forwarded_for, {"203.0.113.7, 10.0.0.3", "10.0.0.2"}),
            "203.0.113.7, 10.0.0.3, 10.0.0.2, 10.0.0.1");
  EXPECT_EQ(chain(AddressField::forwarded, {"for=203.0.113.7;proto=http, for=\"10.0.0.2:80\""}),
            "203.0.113.7, 10.0.0.2, 10.0.0.1");
}

TEST(BelievedChain, LeavesOutWhatTheClientItselfWrote) {
  EXPECT_EQ(chain(AddressField::x_forwarded_for, {"6.6.6.6, <script>, 203.0.113.7, 10.0.0.2"}),
            "203.0.113.7, 10.0.0.2, 10.0.0.1");
  EXPECT_EQ(chain(AddressField::x_forwarded_for, {"6.6.6.6, unknown, 10.0.0.2"}), "10.0.0.2, 10.0.0.1");
}

TEST(BelievedChain, IsOnlyThePeerIfNothingIsBelieved) {
  EXPECT_EQ(chain(AddressField::x_forwarded_for, {}), "10.0.0.1");
  EXPECT_EQ(chain(AddressField::x_forwarded_for, {"unknown"}), "10.0.0.1");
  EXPECT_EQ(chain(AddressField::x_forwarded_for, {"203.0.113.7"}, "198.51.100.9"), "198.51.100.9");
}

TEST(BelievedChain, WritesAddressesInOneWayHoweverTheyCame) {
  EXPECT_EQ(chain(AddressField::x_forwarded_for, {"[2001:0DB8:0:0::0001]:443, ::ffff:10.0.0.2"}, "::ffff:10.0.0.1"),
            "2001:db8::1, 10.0.0.2, 10.0.0.1");
}

TEST(BelievedChain, HoldsSixtyFourHopsAndThePeer) {
  std::string field = "203.0.113.7";
  for (int hop = 200; hop > 0; --hop) field += ", 10.0.1." + std::to_string(hop);
  const auto text = chain(AddressField::x_forwarded_for, {field});
  EXPECT_TRUE(text.starts_with("10.0.1.64, 10.0.1.63, ")) << text;
  EXPECT_TRUE(text.ends_with(", 10.0.1.1, 10.0.0.1")) << text;
}

TEST(BelievedChain, IsCutShortIfTheFieldsAreNotThoseOfTheWalk) {
  const std::vector<std::string_view> fields{"203.0.113.7"};
  Chain room;
  const Hops more{make_address("203.0.113.7"), 1000};
  EXPECT_EQ(believed_chain(more, make_address("10.0.0.1"), AddressField::x_forwarded_for, fields, room).size(), 2U);
}

TEST(RealIp, IsTheClientThatATrustedPeerNames) {
  EXPECT_EQ(chain(AddressField::x_real_ip, {"203.0.113.7"}), "203.0.113.7, 10.0.0.1");
  EXPECT_EQ(chain(AddressField::x_real_ip, {"[2001:db8::1]:443"}), "2001:db8::1, 10.0.0.1");
  EXPECT_EQ(chain(AddressField::x_real_ip, {"203.0.113.7"}, "198.51.100.9"), "198.51.100.9");
}

TEST(RealIp, EndsTheWalkEvenIfItNamesATrustedHop) {
  EXPECT_EQ(chain(AddressField::x_real_ip, {"10.0.0.2"}), "10.0.0.2, 10.0.0.1");
}

TEST(RealIp, IsNotBelievedIfItAppearsTwice) {
  EXPECT_EQ(chain(AddressField::x_real_ip, {"203.0.113.7", "203.0.113.7"}), "10.0.0.1");
}

TEST(RealIp, IsOneAddressAndNoList) {
  for (const auto* text : {"", "203.0.113.7, 203.0.113.8", "203.0.113.7,", "unknown", "for=203.0.113.7", "fe80::1%1"}) {
    EXPECT_EQ(chain(AddressField::x_real_ip, {text}), "10.0.0.1") << text;
  }
}

TEST(AddressText, RefusesABufferThatSomeAddressWouldNotFit) {
  std::array<char, kMaxAddressText - 1> small;
  EXPECT_EQ(address_text(make_address("10.0.0.1"), small), "");
}

}  // namespace
}  // namespace headgate::identity
