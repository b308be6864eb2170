#include "headgate/identity/network.hpp"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace headgate::identity {
namespace {

std::string read_back(std::string_view text) {
  const auto network = parse_network(text);
  return network ? to_text(*network) : "error: " + network.error();
}

TEST(ParseNetwork, ReadsBlocksAndSingleAddresses) {
  EXPECT_EQ(read_back("10.0.0.0/8"), "10.0.0.0/8");
  EXPECT_EQ(read_back("10.1.2.3"), "10.1.2.3");
  EXPECT_EQ(read_back("10.1.2.3/32"), "10.1.2.3");
  EXPECT_EQ(read_back("0.0.0.0/0"), "0.0.0.0/0");
  EXPECT_EQ(read_back("fd00::/8"), "fd00::/8");
  EXPECT_EQ(read_back("::/0"), "::/0");
  EXPECT_EQ(read_back("2001:DB8:0:0::1"), "2001:db8::1");
}

TEST(ParseNetwork, TakesIpv4MappedBlocksForIpv4) {
  EXPECT_EQ(read_back("::ffff:10.0.0.0/104"), "10.0.0.0/8");
  EXPECT_EQ(read_back("::ffff:10.1.2.3"), "10.1.2.3");
  EXPECT_EQ(read_back("::ffff:0:0/96"), "0.0.0.0/0");
}

TEST(ParseNetwork, SaysWhichNetworkWasMeantWhereHostBitsAreSet) {
  EXPECT_EQ(
      read_back("10.0.0.1/8"),
      R"(error: "10.0.0.1/8" has host bits set; write "10.0.0.0/8" for the network or "10.0.0.1" for the one address)");
  EXPECT_EQ(
      read_back("fd00::1/8"),
      R"(error: "fd00::1/8" has host bits set; write "fd00::/8" for the network or "fd00::1" for the one address)");
  EXPECT_EQ(read_back("10.0.0.1/31").substr(0, 43), R"(error: "10.0.0.1/31" has host bits set; wri)");
}

TEST(ParseNetwork, SaysWhatAPrefixIs) {
  EXPECT_EQ(
      read_back("10.0.0.0/33"),
      R"(error: "10.0.0.0/33": the part after the slash must be a number of bits from 0 to 32, as in "10.0.0.0/8")");
  EXPECT_EQ(
      read_back("fd00::/129"),
      R"(error: "fd00::/129": the part after the slash must be a number of bits from 0 to 128, as in "fd00::/32")");
  for (const auto* text : {"10.0.0.0/", "10.0.0.0/x", "10.0.0.0/-1", "10.0.0.0/+8", "10.0.0.0/08", "10.0.0.0/8 ",
                           "10.0.0.0/8/8", "10.0.0.0/255.0.0.0", "10.0.0.0/4294967304", "10.0.0.0/ 8"}) {
    EXPECT_NE(read_back(text).find("the part after the slash"), std::string::npos) << text << ": " << read_back(text);
  }
}

TEST(ParseNetwork, SaysWhatAnAddressLooksLike) {
  EXPECT_EQ(read_back(""),
            R"(error: "" is not an IP address or network; write one such as "10.0.0.0/8", "10.1.2.3" or "fd00::/8")");
  for (const auto* text : {"proxy.local", "10.0.0/8", "10.*", "10.0.0.0-10.0.0.9", "[fd00::1]", "10.0.0.1:80",
                           " 10.0.0.1", "/8", "010.0.0.0/8", "10.0.0.0.0", "fd00:::/8"}) {
    EXPECT_NE(read_back(text).find("is not an IP address or network"), std::string::npos)
        << text << ": " << read_back(text);
  }
}

TEST(ParseNetwork, RefusesZones) {
  EXPECT_EQ(
      read_back("fe80::1%eth0"),
      R"(error: "fe80::1%eth0" names a zone, which only this machine knows; write the address without "%" and what follows it)");
}

TEST(ParseNetwork, CutsAnEndlessTextShortInItsMessage) {
  const auto message = read_back(std::string(10000, 'x'));
  EXPECT_LT(message.size(), 250U);
  EXPECT_NE(message.find("xxx...\" is not"), std::string::npos) << message;
}

}  // namespace
}  // namespace headgate::identity
