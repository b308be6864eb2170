// HTTP/2 over TLS, with the usual clients, and how its connections end in a drain.

#include "blackbox/harness/h2_client.hpp"
#include "blackbox/tls/tls_gateway.hpp"

#include <gtest/gtest.h>

#include <cstdio>

namespace headgate::test {
namespace {

std::string output_of(const std::string& command) {
  std::string out;
  std::FILE* const pipe = popen((command + " 2>&1").c_str(), "r");
  if (pipe == nullptr) return out;
  char block[4096];
  for (std::size_t got = 0; (got = std::fread(block, 1, sizeof block, pipe)) > 0;) out.append(block, got);
  pclose(pipe);
  return out;
}

bool has_command(const std::string& name) { return !output_of("command -v " + name).empty(); }

class Http2Tls : public WithCertificates {
 protected:
  static Json listener(const Json& more = Json::object()) {
    Json out = {{"address", "127.0.0.1:0"},
                {"tls", Json::array({{{"certificate", files->path("server.crt")}, {"key", files->path("server.key")}},
                                     {{"certificate", files->path("other.crt")}, {"key", files->path("other.key")}}})}};
    out.merge_patch(more);
    return {{"listen", out}};
  }
};

TEST_F(Http2Tls, IsAgreedOnByAlpnAndOtherwiseNot) {
  Proxy proxy(listener());
  const auto url = "https://localhost:" + std::to_string(proxy.gateway.port()) + "/";
  const auto curl = "curl -s --max-time 10 --resolve '*:" + std::to_string(proxy.gateway.port()) +
                    ":127.0.0.1' --cacert " + files->path("ca.crt") +
                    " -o /dev/null -w '%{http_version} %{http_code}' ";
  if (!has_command("curl")) GTEST_SKIP() << "no curl on this machine";
  EXPECT_EQ(output_of(curl + "--http2 " + url), "2 200");
  EXPECT_EQ(output_of(curl + "--http1.1 " + url), "1.1 200");
  EXPECT_EQ(output_of(curl + "--no-alpn " + url), "1.1 200");
  EXPECT_EQ(output_of(curl + "--http2 -H 'Host: other.example' " + url), "2 421")
      << "a host that another certificate is for";
  EXPECT_EQ(output_of(curl + "--http2 -H 'Host: 127.0.0.1' " + url), "2 200") << "a host of the same certificate";
  EXPECT_EQ(output_of(curl + "--http2 -d @" + files->path("server.crt") + " " + url), "2 200");
}

TEST_F(Http2Tls, IsOffWhereTheListenerSaysSo) {
  Proxy proxy(listener({{"http2", false}}));
  if (!has_command("curl")) GTEST_SKIP() << "no curl on this machine";
  EXPECT_EQ(output_of("curl -s --max-time 10 --http2 --cacert " + files->path("ca.crt") +
                      " -o /dev/null -w '%{http_version} %{http_code}' https://localhost:" +
                      std::to_string(proxy.gateway.port()) + "/"),
            "1.1 200");
}

TEST(Http2Clients, NghttpAndH2loadGetTheirAnswers) {
  if (!has_command("h2load") || !has_command("nghttp")) GTEST_SKIP() << "no nghttp2-client on this machine";
  Proxy proxy(Json{{"listen", {{"address", "127.0.0.1:0"}, {"http2", true}}}});
  const auto url = "http://127.0.0.1:" + std::to_string(proxy.gateway.port()) + "/";
  const auto load = output_of("h2load -n 2000 -c 4 -m 20 " + url);
  EXPECT_TRUE(load.find("2000 succeeded, 0 failed, 0 errored, 0 timeout") != std::string::npos) << load;
  const auto one = output_of("nghttp -v -H 'x-test-bytes: 70000' " + url);
  EXPECT_TRUE(one.find(":status: 200") != std::string::npos) << one;
}

TEST(Http2Drain, AnswersWhatIsOnItsWayAndSaysGoodbyeTwice) {
  Proxy proxy(Json{{"listen", {{"address", "127.0.0.1:0"}, {"http2", true}}}, {"drain", "5s"}});
  auto one = std::make_unique<H2Client>(proxy.gateway.port());
  auto& client = *one;
  EXPECT_EQ(client.ask(1, h2_get()).status, 200);
  auto idle = std::make_unique<H2Client>(proxy.gateway.port());
  EXPECT_EQ(idle->ask(1, h2_get()).status, 200);
  client.send(h2_request(3, h2_get("/", {{"x-test-hold", "1"}})));
  ASSERT_TRUE(proxy.upstream.wait_for_heads(3));
  proxy.gateway.process().signal(SIGTERM);
  ASSERT_TRUE(client.next(h2_goaway));
  EXPECT_EQ(client.last_ids.back(), 0x7fffffffU) << "first a notice";
  client.send(h2_request(5, h2_get("/late")));
  EXPECT_EQ(client.answer(5).status, 200) << "it was on its way";
  ASSERT_TRUE(client.next(h2_goaway));
  EXPECT_EQ(client.last_ids.back(), 5U);
  proxy.upstream.release();
  EXPECT_EQ(client.answer(3).status, 200);
  EXPECT_TRUE(client.closes());
  EXPECT_EQ(*client.goaway, 0U);
  EXPECT_TRUE(idle->closes());
  one.reset();
  idle.reset();
  EXPECT_EQ(proxy.gateway.process().wait(kPatience), 0);
  proxy.gateway.expect_any_end();
}

}  // namespace
}  // namespace headgate::test
