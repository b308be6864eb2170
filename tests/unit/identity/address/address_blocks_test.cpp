#include "../../../../src/identity/address/address_file.hpp"

#include "headgate/identity/client_address.hpp"
#include "headgate/identity/network.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

namespace headgate::identity {
namespace {

using boost::asio::ip::address;
using boost::asio::ip::make_address;

Network block(const std::string& text) {
  const auto read = parse_network(text);
  EXPECT_TRUE(read.has_value()) << text;
  return *read;
}

AddressBlocks blocks(const std::vector<std::string>& texts) {
  std::vector<Network> all;
  for (const auto& each : texts) all.push_back(block(each));
  return AddressBlocks(all);
}

int smallest(const AddressBlocks& in, const std::string& text) { return in.smallest(make_address(text)); }

TEST(AddressBlocks, TellTheSmallestBlockThatHoldsAnAddress) {
  const auto all = blocks({"10.0.0.0/8", "10.1.0.0/16", "10.1.2.3", "192.0.2.0/24"});
  EXPECT_EQ(smallest(all, "10.255.255.255"), 8);
  EXPECT_EQ(smallest(all, "10.1.2.2"), 16);
  EXPECT_EQ(smallest(all, "10.1.2.3"), 32);
  EXPECT_EQ(smallest(all, "10.1.2.4"), 16);
  EXPECT_EQ(smallest(all, "10.2.0.0"), 8);
  EXPECT_EQ(smallest(all, "192.0.2.255"), 24);
  for (const char* none : {"9.255.255.255", "11.0.0.0", "192.0.1.255", "192.0.3.0", "::1", "0.0.0.0"})
    EXPECT_EQ(smallest(all, none), AddressBlocks::kNone) << none;
  EXPECT_EQ(all.size(), 4U);
}

TEST(AddressBlocks, ReachToBothEndsOfAllAddresses) {
  const auto all = blocks({"0.0.0.0/0", "255.255.255.255", "0.0.0.0", "::/0", "ffff:ffff::/32", "::/128"});
  EXPECT_EQ(smallest(all, "255.255.255.255"), 32);
  EXPECT_EQ(smallest(all, "255.255.255.254"), 0);
  EXPECT_EQ(smallest(all, "0.0.0.0"), 32);
  EXPECT_EQ(smallest(all, "0.0.0.1"), 0);
  EXPECT_EQ(smallest(all, "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"), 32);
  EXPECT_EQ(smallest(all, "ffff:fffe::1"), 0);
  EXPECT_EQ(smallest(all, "::"), 128);
}

TEST(AddressBlocks, OfIpv4HoldMappedAddressesAndOthersDoNot) {
  EXPECT_EQ(smallest(blocks({"10.0.0.0/8"}), "::ffff:10.1.2.3"), 8);
  EXPECT_EQ(smallest(blocks({"::/0"}), "10.1.2.3"), AddressBlocks::kNone);
  EXPECT_EQ(smallest(blocks({"::ffff:10.0.0.0/104"}), "10.1.2.3"), 8);
}

TEST(AddressBlocks, CountOnceEvenIfTheyAreListedTwice) {
  const auto all = blocks({"10.0.0.0/8", "10.0.0.0/8", "2001:db8::/32", "2001:db8::/32"});
  EXPECT_EQ(all.size(), 2U);
  EXPECT_EQ(smallest(all, "2001:db8:ffff::1"), 32);
  EXPECT_EQ(smallest(all, "2001:db9::"), AddressBlocks::kNone);
}

TEST(AddressBlocks, MayBeNone) { EXPECT_EQ(smallest(AddressBlocks(), "10.0.0.1"), AddressBlocks::kNone); }

/// Blocks close together, so that most of them hold each other or touch.
TEST(AddressBlocks, AreFoundAsIfEachWereLookedAt) {
  std::mt19937 random(7);
  for (int round = 0; round < 200; ++round) {
    std::vector<Network> all;
    const bool v6 = round % 2 == 1;
    for (unsigned i = 0; i < 1 + random() % 40; ++i) {
      const auto place = std::to_string(random() % 4);
      const auto tail = random() % 256;
      const auto length = v6 ? 112 + random() % 17 : 16 + random() % 17;
      const auto text =
          v6 ? "2001:db8::" + place + ":" + std::to_string(tail % 100) : "10.0." + place + "." + std::to_string(tail);
      all.push_back(block(block_of(make_address(text), static_cast<unsigned>(length))));
    }
    const AddressBlocks found(all);
    for (int i = 0; i < 300; ++i) {
      const auto place = std::to_string(random() % 4);
      const auto where = make_address(v6 ? "2001:db8::" + place + ":" + std::to_string(random() % 100)
                                         : "10.0." + place + "." + std::to_string(random() % 256));
      int wanted = AddressBlocks::kNone;
      for (const auto& each : all)
        if (contains({&each, 1}, where))
          wanted =
              std::max(wanted, std::visit([](const auto& one) { return static_cast<int>(one.prefix_length()); }, each));
      ASSERT_EQ(found.smallest(where), wanted) << where << " in round " << round;
    }
  }
}

TEST(AddressFile, HasABlockOnEachLine) {
  const auto read = read_addresses("# offices\r\n10.0.0.0/8\r\n\n  192.0.2.1\t; a door\n2001:db8::/32 # all\n;\n::1");
  ASSERT_TRUE(read.has_value());
  std::string all;
  for (const auto& each : *read) all += to_text(each) + ' ';
  EXPECT_EQ(all, "10.0.0.0/8 192.0.2.1 2001:db8::/32 ::1 ");
  EXPECT_TRUE(read_addresses("").has_value());
}

TEST(AddressFile, IsRefusedWithTheLineOfItsFirstMistake) {
  const auto fault = [](const std::string& text) {
    const auto read = read_addresses(text);
    return read.has_value() ? std::string() : std::to_string(read.error().line) + ' ' + read.error().message;
  };
  EXPECT_TRUE(fault("10.0.0.0/8\n\n10.0.0.1/8\nx").starts_with("3 \"10.0.0.1/8\" has host bits set"));
  EXPECT_TRUE(fault("10.0.0.0/8 10.1.0.0/16").starts_with("1 \"10.0.0.0/8 10.1.0.0/16\""));
  EXPECT_TRUE(fault("1\n").starts_with("1 "));
  EXPECT_TRUE(fault(std::string("10.0.0.0/8\0", 11)).starts_with("1 "));
}

TEST(AddressFile, HasABoundedNumberOfBlocks) {
  EXPECT_TRUE(read_addresses("::1\n::2\n#\n::3", 3).has_value());
  const auto read = read_addresses("::1\n::2\n#\n::3\n::4\n", 3);
  ASSERT_TRUE(read.has_error());
  EXPECT_EQ(read.error().line, 5U);
  EXPECT_EQ(read.error().message, "there are more than 3 blocks");
}

TEST(Network, IsWithinAnother) {
  const auto in = [](const char* inner, const char* outer) { return within(block(inner), block(outer)); };
  EXPECT_TRUE(in("10.1.0.0/16", "10.0.0.0/8"));
  EXPECT_TRUE(in("10.0.0.0/8", "10.0.0.0/8"));
  EXPECT_FALSE(in("10.0.0.0/8", "10.0.0.0/16"));
  EXPECT_FALSE(in("11.0.0.0/16", "10.0.0.0/8"));
  EXPECT_TRUE(in("2001:db8::1", "::/0"));
  EXPECT_FALSE(in("10.0.0.0/8", "::/0"));
}

}  // namespace
}  // namespace headgate::identity
