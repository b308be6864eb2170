// Forwarded (RFC 7239) as trusted hops and untrusted clients write it.

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

/// The client behind 10.0.0.1, with 10/8 and fd00::/8 trusted.
std::string client(const std::vector<std::string_view>& fields) {
  static const std::vector<Network> trusted{*parse_network("10.0.0.0/8"), *parse_network("fd00::/8")};
  return walk_hops(make_address("10.0.0.1"), AddressField::forwarded, fields, trusted).client.to_string();
}

TEST(Forwarded, NamesTheClientInTheForOfEachElement) {
  EXPECT_EQ(client({"for=203.0.113.7"}), "203.0.113.7");
  EXPECT_EQ(client({"for=203.0.113.7;proto=https;by=10.0.0.1"}), "203.0.113.7");
  EXPECT_EQ(client({"by=10.0.0.1;host=example.com;for=203.0.113.7"}), "203.0.113.7");
  EXPECT_EQ(client({"for=6.6.6.6, for=203.0.113.7;proto=http,for=10.0.0.2"}), "203.0.113.7");
}

TEST(Forwarded, ReadsSeveralFieldsAsOneListInOrder) {
  EXPECT_EQ(client({"for=6.6.6.6", "for=203.0.113.7", "for=10.0.0.3, for=10.0.0.2"}), "203.0.113.7");
}

TEST(Forwarded, TakesIpv6InBracketsAndQuotesWithItsPort) {
  EXPECT_EQ(client({R"(for="[2001:db8::1]:47011")"}), "2001:db8::1");
  EXPECT_EQ(client({R"(for="[2001:db8::1]")"}), "2001:db8::1");
  EXPECT_EQ(client({R"(for="203.0.113.7:80")"}), "203.0.113.7");
  EXPECT_EQ(client({R"(for="[::ffff:203.0.113.7]:1")"}), "203.0.113.7");
}

TEST(Forwarded, BelievesAnAddressWhosePortIsHidden) {
  EXPECT_EQ(client({R"(for="203.0.113.7:_gazonk")"}), "203.0.113.7");
  EXPECT_EQ(client({R"(for="[2001:db8::1]:_a.b-c_1")"}), "2001:db8::1");
}

TEST(Forwarded, ReadsParameterNamesWithoutCase) {
  EXPECT_EQ(client({"For=203.0.113.7"}), "203.0.113.7");
  EXPECT_EQ(client({"PROTO=http;FOR=203.0.113.7"}), "203.0.113.7");
}

TEST(Forwarded, TakesEscapesOutOfQuotedStrings) {
  EXPECT_EQ(client({R"(for="\2\0\3.0.113.7")"}), "203.0.113.7");
  EXPECT_EQ(client({R"(for="\[2001:db8::1\]")"}), "2001:db8::1");
}

TEST(Forwarded, DoesNotSplitAtCommasAndSemicolonsWithinQuotes) {
  EXPECT_EQ(client({R"(for=203.0.113.7;host="a, for=6.6.6.6;x=")"}), "203.0.113.7");
  EXPECT_EQ(client({R"(for=203.0.113.7;host="a, for=6.6.6.6", for=10.0.0.2)"}), "203.0.113.7");
  EXPECT_EQ(client({R"(for=203.0.113.7;host="a\", for=6.6.6.6")"}), "203.0.113.7");
  EXPECT_EQ(client({R"(for=203.0.113.7;host="a\\", for=10.0.0.2)"}), "203.0.113.7");
  EXPECT_EQ(client({R"(for=203.0.113.7;host="\\\", for=6.6.6.6")"}), "203.0.113.7");
  EXPECT_EQ(client({R"(for=203.0.113.7;host="\"", for=10.0.0.2;host="\"")"}), "203.0.113.7");
}

TEST(Forwarded, TakesPairsThatAreEmpty) { EXPECT_EQ(client({";for=203.0.113.7;;proto=http;"}), "203.0.113.7"); }

class UnreadableElement : public testing::TestWithParam<std::string_view> {};

TEST_P(UnreadableElement, EndsTheWalkAtTheHopThatReportedIt) {
  const std::string field = "for=203.0.113.7, " + std::string(GetParam()) + ", for=10.0.0.2";
  EXPECT_EQ(client({field}), "10.0.0.2");
}

INSTANTIATE_TEST_SUITE_P(
    Kinds, UnreadableElement,
    testing::Values("", ";", "proto=https", "for=unknown", "for=_hidden", "for=\"_hidden:80\"", "for=\"unknown:80\"",
                    "for=10.0.0.9;for=10.0.0.9", "for=10.0.0.9;FOR=10.0.0.8", "for=unknown;for=10.0.0.9", "for", "for=",
                    "for=;proto=http", "=10.0.0.9", "10.0.0.9", "for=10.0.0.9:80", "for=[fd00::9]", "for=fd00::9",
                    R"(for="fd00::9")", R"(for="[10.0.0.9]")", R"(for="10.0.0.9:")", R"(for="10.0.0.9:_")",
                    R"(for="10.0.0.9:65536")", R"(for="10.0.0.9:_a b")", "for=010.0.0.9", R"(for="[fe80::1%eth0]")",
                    "for =10.0.0.9", "for= 10.0.0.9", "for=10.0.0.9 ;proto=http", "for=10.0.0.9; proto=http",
                    "for=10.0.0.9 proto=http", "for=10.0.0.9;proto", "for=10.0.0.9;proto=", "for=10.0.0.9;a b=c",
                    "for=10.0.0.9;host=a/b", R"(for="10.0.0.9)", R"(for=10.0.0.9")", R"(for="10.0.0.9"x)",
                    R"(for=x"10.0.0.9")", R"(for="10.0.0.9"")", R"(for="10.0.0.9\")", "for=\"10.0.0.9\";host=\"a\x01\"",
                    "for=\"10.0.0.9\";host=\"a\x7f\"", "for=\"10.0.0.9\";host=\"\\\x01\"",
                    std::string_view("for=10.0.0.9\0", 13), "for='10.0.0.9'", "four=10.0.0.9", "fo=10.0.0.9"));

TEST(Forwarded, OfANodeLongerThanAnyAddressIsNotBelieved) {
  const std::string hidden(100, 'a');
  EXPECT_EQ(client({R"(for="203.0.113.7:_)" + hidden + '"'}), "203.0.113.7");
  const std::string escaped = R"(for="\203.0.113.7:_)" + hidden + hidden + '"';
  EXPECT_EQ(client({escaped}), "10.0.0.1");
}

/// Whatever a client writes, and with any quotes, the hop that appends to it is understood.
class ClientsOwnWords : public testing::TestWithParam<std::string_view> {};

TEST_P(ClientsOwnWords, ChangeNothingInWhatTheHopsAppend) {
  const std::string words(GetParam());
  const std::string plain = words + ", for=203.0.113.7";
  EXPECT_EQ(client({plain}), "203.0.113.7");
  const std::string quoted = words + R"(, for="[2001:db8::1]:80";host="a, b\"", for=10.0.0.2)";
  EXPECT_EQ(client({quoted}), "2001:db8::1");
  EXPECT_EQ(client({words, "for=203.0.113.7"}), "203.0.113.7");
}

INSTANTIATE_TEST_SUITE_P(Kinds, ClientsOwnWords,
                         testing::Values("", "\"", "\\", "\\\"", "for=\"", "for=\"6.6.6.6", "for=6.6.6.6\"", "for=\"\\",
                                         "for=10.0.0.9;host=\"", "\", for=10.0.0.9, \"", ",,,", "for=\"a\\\\", "\"\"\"",
                                         "for=6.6.6.6;for=6.6.6.6", "for=6.6.6.6, for="));

TEST(Forwarded, IsReadAsFarAsAnUnclosedQuoteOfATrustedHop) {
  EXPECT_EQ(client({R"(for="203.0.113.7, for=10.0.0.3, for=10.0.0.2)"}), "10.0.0.3");
}

TEST(Forwarded, StopsAtTheSixtyFourthStep) {
  std::string field = "for=203.0.113.7";
  for (int hop = 64; hop > 0; --hop) field += ", for=10.0.1." + std::to_string(hop);
  EXPECT_EQ(client({field}), "10.0.1.64");
}

TEST(Forwarded, IsNotReadIfHopsWriteAnotherField) {
  const std::string_view field = "for=203.0.113.7";
  const std::vector<Network> trusted{*parse_network("10.0.0.0/8")};
  for (const auto other : {AddressField::x_forwarded_for, AddressField::x_real_ip}) {
    EXPECT_EQ(walk_hops(make_address("10.0.0.1"), other, {&field, 1}, trusted).believed, 0U);
  }
}

}  // namespace
}  // namespace headgate::identity
