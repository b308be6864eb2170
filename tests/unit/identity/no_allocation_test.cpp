// Code that runs for every request must not allocate: this program counts allocations.

#include "support/counted_memory.hpp"
#include "unit/identity/address/proxy_headers.hpp"

#include "headgate/identity/client_address.hpp"
#include "headgate/identity/network.hpp"
#include "headgate/identity/proxy_protocol.hpp"
#include "headgate/identity/token_cache.hpp"

#include <boost/asio/ip/address.hpp>

#include <gtest/gtest.h>

#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace headgate::identity {
namespace {

std::size_t allocations() noexcept { return headgate::test::taken_from_heap.allocations; }

TEST(Allocations, AreSeenByThisTest) {
  const auto before = allocations();
  const std::vector<int> one(100);
  EXPECT_GT(allocations(), before) << one.size();
}

TEST(Allocations, AreNoneForTheClientAddressAndItsSubject) {
  const std::vector<Network> trusted{*parse_network("10.0.0.0/8"), *parse_network("fd00::/8")};
  const std::array<std::string_view, 2> fields{"[2001:db8:aaaa:bbbb:cccc:dddd:eeee:ffff]:65535, fd00:1111:2222:3333::1",
                                               "::ffff:10.255.255.254, 10.0.0.2:80"};
  const auto peer = boost::asio::ip::make_address("10.0.0.1");
  std::array<char, 64> buffer;
  const auto before = allocations();
  const auto hops = walk_hops(peer, AddressField::x_forwarded_for, fields, trusted);
  const auto key = client_ip_key(hops.client, 64, buffer);
  const auto after = allocations();
  EXPECT_EQ(after, before);
  EXPECT_EQ(key, "2001:db8:aaaa:bbbb::/64");
}

TEST(Allocations, AreNoneForTheChainOfAForwardedField) {
  const std::vector<Network> trusted{*parse_network("10.0.0.0/8"), *parse_network("fd00::/8")};
  const std::string_view field =
      R"(for="[2001:db8:aaaa:bbbb:cccc:dddd:eeee:ffff]:65535";host="a\"b", for="\[fd00:1111:2222:3333:4444:5555:6666:1\]")";
  const auto peer = boost::asio::ip::make_address("10.0.0.1");
  std::array<char, kMaxAddressText> buffer;
  const auto before = allocations();
  const auto hops = walk_hops(peer, AddressField::forwarded, {&field, 1}, trusted);
  Chain room;
  const auto chain = believed_chain(hops, peer, AddressField::forwarded, {&field, 1}, room);
  const auto text = address_text(chain.front(), buffer);
  const auto after = allocations();
  EXPECT_EQ(after, before);
  EXPECT_EQ(chain.size(), 3U);
  EXPECT_EQ(text, "2001:db8:aaaa:bbbb:cccc:dddd:eeee:ffff");
}

TEST(Allocations, AreNoneForAProxyHeader) {
  ProxyHeader header;
  const auto v2 = test::summed(test::ssl(0x03, 0));
  const auto before = allocations();
  const auto first = read_proxy_header("PROXY TCP6 2001:db8::1 ::1 4711 443\r\n", header);
  const auto second = read_proxy_header(v2, header);
  const auto after = allocations();
  EXPECT_EQ(after, before);
  EXPECT_EQ(first, ProxyHeaderState::whole);
  EXPECT_EQ(second, ProxyHeaderState::whole);
}

TEST(Allocations, AreNoneForATokenThatIsRemembered) {
  const Instant now{std::chrono::seconds(1'800'000'000)};
  const std::string good(500, 'g');
  const std::string bad(500, 'b');
  TokenCache memory(10);
  memory.put(good, VerifiedToken{{{"sub", "ann"}}, now, now + std::chrono::seconds(1)});
  memory.put(bad, RefusedToken{JwtError::bad_signature, Instant::max()});
  const auto before = allocations();
  const auto token = memory.get(good, now);
  const auto refused = memory.get(bad, now);
  const auto unknown = memory.get("another", now);
  const auto after = allocations();
  EXPECT_EQ(after, before);
  EXPECT_TRUE(token && refused && !unknown);
}

}  // namespace
}  // namespace headgate::identity
