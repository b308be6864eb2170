// What keeps callers on https, and servers that are reached over it.
#include "loaded.hpp"

#include "headgate/config/load.hpp"

#include <gtest/gtest.h>

namespace headgate::config {
namespace {

Config with(const std::string& keys, const std::string& listener = "{ \"address\": \":80\" }",
            const std::string& route = "") {
  return loaded("{ \"listen\": " + listener + ", " + keys + "\"routes\": [{ \"path\": \"/*\", " + route +
                "\"respond\": {} }] }");
}

TEST(LoadHttps, WritesStrictTransportSecurityAsTheFieldHasIt) {
  EXPECT_EQ(with("").gateway.hsts, "");
  EXPECT_EQ(with(R"("hsts": "1y", )").gateway.hsts, "max-age=31536000");
  EXPECT_EQ(with(R"("hsts": "2y", )").gateway.hsts, "max-age=63072000");
  EXPECT_EQ(with(R"("hsts": "180d", )").gateway.hsts, "max-age=15552000");
  EXPECT_EQ(with(R"("hsts": "0s", )").gateway.hsts, "max-age=0");
  EXPECT_EQ(with(R"("hsts": { "max_age": "5m", "include_subdomains": true }, )").gateway.hsts,
            "max-age=300; includeSubDomains");
  EXPECT_EQ(with(R"("hsts": { "max_age": "1y", "include_subdomains": true, "preload": true }, )").gateway.hsts,
            "max-age=31536000; includeSubDomains; preload");
}

TEST(LoadHttps, RedirectsToThePortThatIsWritten) {
  const auto listener = [](const std::string& more) {
    return with("", R"({ "address": ":80")" + more + " }").listen.front().https_port;
  };
  EXPECT_EQ(listener(""), 0);
  EXPECT_EQ(listener(R"(, "redirect_to_https": false)"), 0);
  EXPECT_EQ(listener(R"(, "redirect_to_https": true)"), 443);
  EXPECT_EQ(listener(R"(, "redirect_to_https": 8443)"), 8443);
  const auto route = [](const std::string& more) {
    return with("", R"(":80")", more).gateway.routes.front().https_port;
  };
  EXPECT_EQ(route(""), std::nullopt) << "as the listener";
  EXPECT_EQ(route(R"("redirect_to_https": false, )"), 0);
  EXPECT_EQ(route(R"("redirect_to_https": true, )"), 443);
  EXPECT_EQ(route(R"("redirect_to_https": 8443, )"), 8443);
}

TEST(LoadHttps, ReachesServersOverTls) {
  const auto upstream = [](const std::string& written) {
    return loaded(R"({ "listen": ":80", "upstreams": { "app": )" + written +
                  R"( }, "routes": [{ "path": "/*", "to": "app" }] })")
        .upstreams.front();
  };
  EXPECT_FALSE(upstream(R"("http://a")").tls);
  const auto bare = upstream(R"("https://A")");
  EXPECT_EQ(bare.tls, net::TlsOptions{});
  EXPECT_EQ(bare.servers, (std::vector<upstream::ServerOptions>{{"a", 443, "a:443"}}));
  const auto full = upstream(R"({ "servers": ["https://[::1]:8443", "https://b"], "tls": { "server_name": "c" } })");
  EXPECT_EQ(full.servers, (std::vector<upstream::ServerOptions>{{"::1", 8443, "[::1]:8443"}, {"b", 443, "b:443"}}));
  ASSERT_TRUE(full.tls);
  EXPECT_EQ(full.tls->server_name, "c");
  EXPECT_TRUE(full.tls->verify) << "unless it says otherwise";
  for (const char* name : {"a", "a.example", "xn--a", "192.0.2.1", "::1", "2001:db8::1"})
    EXPECT_EQ(upstream(R"({ "servers": ["https://a"], "tls": { "server_name": ")" + std::string(name) + "\" } }")
                  .tls->server_name,
              name);
}

}  // namespace
}  // namespace headgate::config
