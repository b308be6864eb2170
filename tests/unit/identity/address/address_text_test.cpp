// Our own parser of IPv6 is compared with that of the system.

#include "headgate/identity/network.hpp"

#include <arpa/inet.h>
#include <gtest/gtest.h>

#include <array>
#include <optional>
#include <random>
#include <string>

namespace headgate::identity {
namespace {

using Bytes = boost::asio::ip::address_v6::bytes_type;

std::optional<Bytes> as_the_system_reads(const std::string& text) {
  Bytes bytes;
  if (::inet_pton(AF_INET6, text.c_str(), bytes.data()) != 1) return std::nullopt;
  return bytes;
}

std::optional<Bytes> as_we_read(const std::string& text) {
  const auto network = parse_network(text);
  if (!network) return std::nullopt;
  if (const auto* v6 = std::get_if<boost::asio::ip::network_v6>(&*network)) return v6->address().to_bytes();
  const auto v4 = std::get<boost::asio::ip::network_v4>(*network).address();
  return boost::asio::ip::make_address_v6(boost::asio::ip::v4_mapped, v4).to_bytes();
}

TEST(Ipv6Text, IsReadAsTheSystemReadsIt) {
  const std::array<std::string, 12> pieces{":",    "::",    "0",       "1",    "ab", "CdEf",
                                           "0123", "12345", "1.2.3.4", "255.", "g",  ":1"};
  std::mt19937 random(20200305);
  std::size_t good = 0;
  for (int round = 0; round < 50'000; ++round) {
    std::string text;
    for (auto count = random() % 16 + 1; count > 0; --count) {
      text += pieces[random() % pieces.size()];
      if (random() % 2 == 0) text += ':';
    }
    if (text.find(':') == std::string::npos) continue;
    const auto expected = as_the_system_reads(text);
    good += expected ? 1 : 0;
    ASSERT_EQ(as_we_read(text), expected) << text;
  }
  EXPECT_GT(good, 300U) << "hardly anything was an address";
}

TEST(Ipv6Text, IsReadAsTheSystemReadsItOneChangeAway) {
  const std::array<std::string, 6> seeds{"2001:db8:1:2:3:4:5:6",
                                         "fd00:aaaa:bbbb:cccc:dddd:eeee:ffff:1",
                                         "::ffff:192.0.2.33",
                                         "1:2:3:4:5:6:192.0.2.33",
                                         "::",
                                         "1::8"};
  const std::string letters = ":.0123456789abcdefABCDEFgG%/ []";
  for (const auto& seed : seeds) {
    ASSERT_TRUE(as_we_read(seed)) << seed;
    for (std::size_t at = 0; at <= seed.size(); ++at) {
      for (const char letter : letters) {
        std::string inserted = seed;
        inserted.insert(at, 1, letter);
        std::string replaced = seed;
        if (at < seed.size()) replaced[at] = letter;
        const std::string cut = seed.substr(0, at);
        for (const auto& text : {inserted, replaced, cut}) {
          if (text.find('/') != text.npos || text.find(':') == text.npos) continue;
          EXPECT_EQ(as_we_read(text), as_the_system_reads(text)) << text;
        }
      }
    }
  }
}

}  // namespace
}  // namespace headgate::identity
