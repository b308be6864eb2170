// Why a route was chosen, and why the others were not.

#include "support/upstreams.hpp"

#include "headgate/gateway/explain.hpp"
#include "headgate/identity/network.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>

namespace headgate::gateway {
namespace {

using Why = ConsideredRoute::Why;

struct Candidates : testing::Test {
  RouteOptions& add(const std::string& name, const std::string& path, const std::string& host = {},
                    std::vector<std::string> methods = {}) {
    auto& route = options.routes.emplace_back();
    route.name = name;
    route.path = path;
    route.host = host;
    route.methods = std::move(methods);
    route.to = "app";
    return route;
  }
  ConsideredRoutes of(const std::string& line, const std::string& fields = "Host: a.example\r\n",
                      std::size_t most = 20) {
    const CompiledConfig compiled(options, {}, {}, headgate::test::upstreams({"app"}), 1);
    auto out = considered_routes(compiled, line + " HTTP/1.1\r\n" + fields + "\r\n", peer, most);
    others = out.others;
    return out;
  }
  static std::map<std::string, Why> reasons(const ConsideredRoutes& candidates) {
    std::map<std::string, Why> out;
    for (const auto& each : candidates.routes) out[each.name] = each.why;
    return out;
  }

  PathOptions options;
  boost::asio::ip::address peer = boost::asio::ip::make_address("192.0.2.7");
  std::size_t others = 0;
};

TEST_F(Candidates, KnowWhereTheRequestComesFrom) {
  add("wide", "/a");
  add("office", "/a").conditions.client_ip = {*identity::parse_network("192.0.2.0/24")};
  EXPECT_EQ(reasons(of("GET /a")).at("office"), Why::less_specific);
  peer = boost::asio::ip::make_address("198.51.100.1");
  EXPECT_EQ(reasons(of("GET /a")).at("office"), Why::conditions);
}

TEST_F(Candidates, SayWhatDidNotFit) {
  add("other path", "/b/*");
  add("other host", "/a/*", "b.example");
  add("other method", "/a/{x}", "", {"POST"});
  add("other fields", "/a/b").conditions.headers.push_back({"x-version", {"2"}});
  add("wide", "/*");
  add("exact", "/a/b", "a.example", {"GET"});
  const auto got = reasons(of("GET /a/b"));
  EXPECT_EQ(got.at("other path"), Why::path);
  EXPECT_EQ(got.at("other host"), Why::host);
  EXPECT_EQ(got.at("other method"), Why::method);
  EXPECT_EQ(got.at("other fields"), Why::conditions);
  EXPECT_EQ(got.at("wide"), Why::less_specific);
  EXPECT_EQ(got.at("exact"), Why::less_specific) << "the one that was chosen is not known yet";
  EXPECT_EQ(reasons(of("GET /a/b", "Host: a.example\r\nX-Version: 2\r\nX_Version: 1\r\n")).at("other fields"),
            Why::unclear);
}

TEST_F(Candidates, KnowTheChosenOneByItsNumber) {
  add("wide", "/*");
  add("exact", "/a");
  const CompiledConfig compiled(options, {}, {}, headgate::test::upstreams({"app"}), 1);
  auto out = considered_routes(compiled, "GET /a HTTP/1.1\r\nHost: a.example\r\n\r\n", peer);
  choose(out, compiled.routes()[1].get());
  EXPECT_EQ(out.routes[0].why, Why::less_specific);
  EXPECT_EQ(out.routes[1].why, Why::chosen);
  choose(out, nullptr);
}

TEST_F(Candidates, AreFewHoweverManyRoutesThereAre) {
  for (int i = 0; i < 100; ++i) add("r" + std::to_string(i), "/r" + std::to_string(i));
  for (int i = 0; i < 30; ++i) add("h" + std::to_string(i), "/a", "h" + std::to_string(i) + ".example");
  add("wide", "/*");
  EXPECT_EQ(of("GET /a").routes.size(), 20U);
  EXPECT_EQ(others, 111U);
  EXPECT_THAT(reasons(of("GET /r7")), testing::UnorderedElementsAre(testing::Pair("r7", Why::less_specific),
                                                                    testing::Pair("wide", Why::less_specific)));
  EXPECT_EQ(others, 129U);
}

TEST_F(Candidates, AreNoneForARequestThatCannotBeRead) {
  add("wide", "/*");
  EXPECT_TRUE(of("GET /a%zz").routes.empty());
}

struct ExplainedRequestTest : testing::Test {
  static std::string head(const ExplainedParts& parts) {
    const auto made = explained_request(parts);
    return made.has_error() ? "error: " + made.error() : made->head;
  }
};

TEST_F(ExplainedRequestTest, IsWrittenAsAClientWritesIt) {
  EXPECT_EQ(head({.url = "https://a.example:8443/v1/x?y=1#z", .fields = {{"Accept", "*/*"}}}),
            "GET /v1/x?y=1 HTTP/1.1\r\nHost: a.example:8443\r\nAccept: */*\r\n\r\n");
  EXPECT_EQ(head({.url = "http://a.example"}), "GET / HTTP/1.1\r\nHost: a.example\r\n\r\n");
  EXPECT_EQ(head({.url = "http://a.example?y=1"}), "GET /?y=1 HTTP/1.1\r\nHost: a.example\r\n\r\n");
  EXPECT_EQ(head({.method = "POST", .url = "/x"}), "POST /x HTTP/1.1\r\nHost: localhost\r\n\r\n");
  EXPECT_EQ(head({.url = "/x", .fields = {{"host", "b.example"}}}), "GET /x HTTP/1.1\r\nhost: b.example\r\n\r\n");
  EXPECT_EQ(head({.method = "OPTIONS", .url = "http://a.example"}), "OPTIONS * HTTP/1.1\r\nHost: a.example\r\n\r\n");
  EXPECT_TRUE(explained_request({.url = "https://a.example/"})->tls);
  EXPECT_FALSE(explained_request({.url = "http://a.example/"})->tls);
  EXPECT_EQ(explained_request({.url = "/", .address = "::ffff:192.0.2.1"})->peer.to_string(), "192.0.2.1");
}

TEST_F(ExplainedRequestTest, HasNothingThatEndsALine) {
  EXPECT_THAT(head({.url = "/a b"}), testing::StartsWith("error: "));
  EXPECT_THAT(head({.url = "/a\r\nX: y"}), testing::StartsWith("error: "));
  EXPECT_THAT(head({.method = "GET /x HTTP/1.1\r\nA:", .url = "/"}), testing::StartsWith("error: "));
  EXPECT_THAT(head({.url = "/", .fields = {{"A", "b\r\nC: d"}}}), testing::StartsWith("error: "));
  EXPECT_THAT(head({.url = "/", .fields = {{"A: b\r\nC", "d"}}}), testing::StartsWith("error: "));
  EXPECT_THAT(head({.url = "ftp://a.example/"}), testing::StartsWith("error: "));
  EXPECT_THAT(head({.url = "http://user@a.example/"}), testing::StartsWith("error: "));
  EXPECT_THAT(head({.url = "http:///x"}), testing::StartsWith("error: "));
  EXPECT_THAT(head({.url = "/", .address = "nowhere"}), testing::StartsWith("error: "));
}

}  // namespace
}  // namespace headgate::gateway
