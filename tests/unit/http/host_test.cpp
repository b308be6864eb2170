#include "headgate/http/host.hpp"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace headgate::http {
namespace {

/// "refused" if it is no host.
std::string host(std::string_view authority) {
  std::string out = "left from before";
  return normalise_host(authority, out) ? out : "refused";
}

TEST(NormaliseHost, WritesEachHostInOneSpelling) {
  const std::vector<std::pair<std::string_view, std::string_view>> table = {
      {"a", "a"},
      {"h.test", "h.test"},
      {"H.Test", "h.test"},
      {"h.test.", "h.test"},
      {"h.test.:80", "h.test"},
      {"h.test:", "h.test"},
      {"h.test:65535", "h.test"},
      {"A-b_c.example:1", "a-b_c.example"},
      {"10.0.0.1:8080", "10.0.0.1"},
      {"[::1]", "[::1]"},
      {"[0:0::1]", "[::1]"},
      {"[0:0:0:0:0:0:0:1]:80", "[::1]"},
      {"[2001:DB8:0:0:0:0:0:1]", "[2001:db8::1]"},
      {"[2001:0db8::0001]", "[2001:db8::1]"},
      {"[::FFFF:10.0.0.1]", "[::ffff:10.0.0.1]"},
      {"[::ffff:a00:1]", "[::ffff:10.0.0.1]"},
  };
  for (const auto& [authority, one] : table) EXPECT_EQ(host(authority), one) << authority;
}

TEST(NormaliseHost, KeepsANormalisedHost) {
  for (const std::string_view authority : {"A.example.:80", "[0::1]:80", "[::ffff:a00:1]", "a_b"})
    EXPECT_EQ(host(host(authority)), host(authority)) << authority;
}

TEST(NormaliseHost, RefusesWhatSomeServersReadAsAnotherHost) {
  for (const std::string_view authority : {"",
                                           ".",
                                           "..",
                                           ".a",
                                           "a..",
                                           "h.test..",
                                           "a..b",
                                           ":80",
                                           "a,b",
                                           "a b",
                                           "a/b",
                                           "a\\b",
                                           "u@a",
                                           "a%2eb",
                                           "a?b",
                                           "a#b",
                                           "a;b",
                                           "::1",
                                           "\xc3\xa9",
                                           "a\x7f",
                                           "[",
                                           "[]",
                                           "[::1",
                                           "[::1]x",
                                           "[g::1]",
                                           "[:::]",
                                           "[1]",
                                           "[::1::]",
                                           "[::1%25lo]",
                                           "[1.2.3.4]",
                                           "[0:0:0:0:0:0:0:0:1]",
                                           "[00000::1]",
                                           "]",
                                           "[a]",
                                           "a]"})
    EXPECT_EQ(host(authority), "refused") << authority;
}

TEST(NormaliseHost, RefusesPortsThatNobodyCanConnectTo) {
  for (const std::string_view port :
       {"0", "00000", "65536", "99999", "000080", "123456", "x", "-1", "+1", " 80", "80 ", "8a", "80:80"}) {
    EXPECT_EQ(host("a:" + std::string(port)), "refused") << port;
    EXPECT_EQ(host("[::1]:" + std::string(port)), "refused") << port;
  }
}

}  // namespace
}  // namespace headgate::http
