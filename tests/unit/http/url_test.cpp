// How URLs and "host:port" are cut apart: the same for servers, Redis, issuers and the health check.
#include "headgate/http/url.hpp"

#include <gtest/gtest.h>

#include <string>

namespace headgate::http {
namespace {

TEST(Url, IsCutAtTheFirstOfWhatEndsAnAuthority) {
  const auto parts = split_url("https://joe:se@cret@example.com:8443/keys?v=2#x");
  EXPECT_EQ(parts.scheme, "https");
  EXPECT_EQ(parts.user, "joe:se@cret");
  EXPECT_EQ(parts.host_port, "example.com:8443");
  EXPECT_EQ(parts.rest, "/keys?v=2#x");
  EXPECT_EQ(split_url("http://a?u=b@c").host_port, "a");
  EXPECT_EQ(split_url("http://a#b@c").rest, "#b@c");
  EXPECT_FALSE(split_url("http://a/@").user);
  EXPECT_EQ(split_url("http://@a").user, "");
}

TEST(Url, HasNoSchemeWithoutItsSign) {
  const auto parts = split_url("127.0.0.1:3000/x");
  EXPECT_EQ(parts.scheme, "");
  EXPECT_EQ(parts.host_port, "127.0.0.1:3000");
  EXPECT_EQ(parts.rest, "/x");
}

TEST(HostPort, IsAHostAndWhatFollowsItsColon) {
  const auto where = split_host_port("[2001:db8::1]:8443");
  EXPECT_EQ(where.host, "2001:db8::1");
  EXPECT_EQ(where.kind, HostKind::v6);
  EXPECT_EQ(where.port, "8443");
  EXPECT_FALSE(where.misplaced);
  EXPECT_FALSE(split_host_port("a.example").port);
  EXPECT_EQ(split_host_port("a.example:").port, "");
}

TEST(HostPort, SaysWhenABracketOrAColonIsMisplaced) {
  for (const char* text : {"::1", "[::1", "[::1]80", "a:80:80", "[::1]:80:80"})
    EXPECT_TRUE(split_host_port(text).misplaced) << text;
}

HostKind kind_of(std::string_view text) { return split_host_port(text).kind; }

TEST(HostPort, KnowsHostsThatEverybodyReadsAlike) {
  for (const char* name : {"a", "Login.Example.COM", "jwks_server", "a-b.c", "1a", "xn--4ca.example"})
    EXPECT_EQ(kind_of(name), HostKind::name) << name;
  EXPECT_EQ(kind_of("app.svc.cluster.local."), HostKind::rooted_name);
  EXPECT_EQ(kind_of("127.0.0.1"), HostKind::v4);
  EXPECT_EQ(kind_of("[::1]"), HostKind::v6);
  EXPECT_EQ(kind_of("[fe80::1%lo]"), HostKind::v6_in_zone);
  EXPECT_EQ(kind_of(std::string(63, 'a')), HostKind::name);
}

TEST(HostPort, KnowsNoOtherHosts) {
  for (const char* host : {"",
                           ".",
                           "a..b",
                           "..",
                           "a..",
                           "-a",
                           "a-",
                           "a.-b",
                           "a%62",
                           "a b",
                           "a/b",
                           "*",
                           "\xc3\xa4.example",
                           "1.2.3",
                           "1.2.3.4.5",
                           "1.2.3.256",
                           "01.2.3.4",
                           "1.2.3.4.",
                           "0x7f.1",
                           "app.1",
                           "[]",
                           "[1.2.3.4]",
                           "[a]"})
    EXPECT_EQ(kind_of(host), HostKind::none) << host;
  EXPECT_EQ(kind_of(std::string(64, 'a')), HostKind::none);
  std::string longest = "a";
  while (longest.size() < 253) longest += ".a";
  EXPECT_EQ(kind_of(longest), HostKind::name);
  EXPECT_EQ(kind_of(longest + 'a' + 'a'), HostKind::none);
}

TEST(Port, IsDigitsFrom1To65535) {
  EXPECT_EQ(read_port("1"), 1);
  EXPECT_EQ(read_port("65535"), 65535);
  for (const char* text : {"", "0", "080", "65536", "+80", "-1", "8o", " 80", "80 "})
    EXPECT_FALSE(read_port(text)) << text;
}

TEST(PercentDecoding, TakesEscapesOfWhatMayBeInAText) {
  std::string out;
  EXPECT_TRUE(percent_decode("p%40ss%2fw%3A", out));
  EXPECT_EQ(out, "p@ss/w:");
  for (const char* text : {"%", "%4", "%zz", "%+1", "%0a", "%00", "a%1"})
    EXPECT_FALSE(percent_decode(text, out)) << text;
}

}  // namespace
}  // namespace headgate::http
