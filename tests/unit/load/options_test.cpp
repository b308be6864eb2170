#include "headgate/load/options.hpp"

#include "load/request_writer.hpp"

#include <gtest/gtest.h>

#include <set>

namespace headgate::load {
namespace {

net::Url url_of(const char* text) { return *net::parse_url(text, "http://127.0.0.1/"); }

TEST(LoadOptions, KnowWhichAddressesAreNear) {
  for (const char* near : {"127.0.0.1", "127.8.8.8", "::1", "::ffff:10.1.2.3", "10.255.0.1", "172.16.0.1",
                           "172.31.255.255", "192.168.1.1", "169.254.0.1", "fe80::1", "fd00::1", "0.0.0.0", "::"})
    EXPECT_TRUE(is_near(boost::asio::ip::make_address(near))) << near;
  for (const char* far : {"8.8.8.8", "172.32.0.1", "172.15.255.255", "192.169.0.1", "11.0.0.1", "0.0.0.1", "126.0.0.1",
                          "2001:db8::1", "::ffff:8.8.8.8", "fec0::1", "100.64.0.1", "198.18.0.1"})
    EXPECT_FALSE(is_near(boost::asio::ip::make_address(far))) << far;
}

TEST(LoadOptions, TakeFieldsThatCannotBreakARequest) {
  EXPECT_TRUE(read_field("X-API-Key: demo-{n}").has_value());
  EXPECT_TRUE(read_field("Empty:").has_value());
  for (const char* bad : {"", "no colon", ": x", "A b: c", "X: a\r\nY: b", "X: a\x7f", "Content-Length: 5",
                          "transfer-encoding: chunked", "Connection: close"})
    EXPECT_TRUE(read_field(bad).has_error()) << bad;
}

TEST(LoadOptions, HaveAnAddressForEachCaller) {
  EXPECT_EQ(address_of(1), "198.18.0.1");
  EXPECT_EQ(address_of(256), "198.18.1.0");
  std::set<std::string> all;
  for (std::uint32_t caller = 1; caller <= kMaxCallers; ++caller) all.insert(address_of(caller));
  EXPECT_EQ(all.size(), kMaxCallers);
}

TEST(RequestWriter, FillsInWhoAsks) {
  RequestOptions options;
  options.fields = {"X-API-Key: k-{n}-{key}", "X-Forwarded-For: {ip}", "X-Odd: {other} {n"};
  options.keys = {"alpha", "beta"};
  const RequestWriter writer(options, url_of("http://127.0.0.1:8080/a?b=c"));
  EXPECT_EQ(writer.text(3, ""),
            "GET /a?b=c HTTP/1.1\r\nHost: 127.0.0.1:8080\r\nUser-Agent: headgate-load/" HEADGATE_VERSION
            "\r\nAccept: application/json\r\nX-API-Key: k-3-alpha\r\nX-Forwarded-For: 198.18.0.3\r\n"
            "X-Odd: {other} {n\r\n\r\n");
  EXPECT_NE(writer.text(2, "t.1").find("k-2-beta\r\n"), std::string::npos);
  EXPECT_NE(writer.text(2, "t.1").find("\r\nWaiting-Room-Ticket: t.1\r\n\r\n"), std::string::npos);
}

TEST(RequestWriter, LetsItsUserNameTheHostAndSendABody) {
  RequestOptions options;
  options.method = "POST";
  options.body = "{}";
  options.fields = {"host: shop.example", "accept: */*", "user-agent: x"};
  const RequestWriter writer(options, url_of("http://127.0.0.1:8080"));
  EXPECT_EQ(writer.text(1, ""),
            "POST / HTTP/1.1\r\nhost: shop.example\r\naccept: */*\r\nuser-agent: x\r\nContent-Length: 2\r\n\r\n{}");
  EXPECT_FALSE(writer.repeatable());
}

}  // namespace
}  // namespace headgate::load
