// Streams of language models that use more than their hold, or whose client leaves.

#include "blackbox/harness/gateway.hpp"
#include "blackbox/harness/h2_client.hpp"
#include "blackbox/harness/process.hpp"
#include "blackbox/harness/real_server.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <thread>

namespace headgate::test {
namespace {

const std::string kPacedModels = HEADGATE_SOURCE_DIR "/tests/blackbox/clients/models.js";
const std::string kStreamCaller = HEADGATE_SOURCE_DIR "/tests/blackbox/clients/streams.js";
const std::string kStreamModules = HEADGATE_SOURCE_DIR "/build/npm/node_modules";
const std::string kStreamKey = "acme-key-of-some-length-0002";

class BudgetStreams : public testing::Test {
 protected:
  BudgetStreams() : models_(kNode, [](std::uint16_t port) { return Words{kPacedModels, std::to_string(port)}; }) {}
  void SetUp() override {
    if (!installed(kNode)) GTEST_SKIP() << "no node on this machine";
    ASSERT_TRUE(models_.listens()) << models_.said();
  }
  Json config(const std::string& path, const std::string& api, const Json& cost) const {
    Json all = {{"usage", api}, {"hold", {{"otherwise", 20}, {"extend", true}}}, {"most", 8000}};
    all.update(cost);
    return {{"listen", {{"address", "127.0.0.1:0"}, {"http2", true}}},
            {"identity",
             {{"api_key", {{"header", {"Authorization", "X-API-Key"}}, {"keys", {{"acme", {{"key", kStreamKey}}}}}}}}},
            {"upstreams", {{"model", models_.url("http")}}},
            {"limits",
             {{"tokens", {{"rate", "60/hour"}, {"algorithm", "fixed_window"}, {"per", "api_key"}, {"unit", "token"}}}}},
            {"usage", "/left"},
            {"routes",
             {{{"path", path},
               {"to", "model"},
               {"require", "api_key"},
               {"limits", {{{"use", "tokens"}, {"cost", all}}}}}}}};
  }
  /// The tokens that are used so far.
  static std::int64_t used(const Proxy& proxy) {
    auto client = proxy.client();
    const auto told = client.get("/left", "X-API-Key: " + kStreamKey + "\r\n");
    EXPECT_EQ(told.status(), 200) << told.body;
    return Json::parse(told.body).at("limits").at(0).at("used").get<std::int64_t>();
  }

  /// Asks again and again, but not more often than a caller may ask what is left.
  static bool comes_to(const Proxy& proxy, std::int64_t tokens) {
    for (int tries = 0; tries < 50; ++tries) {
      if (used(proxy) == tokens) return true;
      std::this_thread::sleep_for(Milliseconds(200));
    }
    return false;
  }

  RealServer models_;
};

TEST_F(BudgetStreams, EndForTheirClientsAsIfTheModelHadReachedItsMaximum) {
  if (!std::filesystem::exists(kStreamModules + "/openai"))
    GTEST_SKIP()
        << "no openai or @anthropic-ai/sdk on this machine; ./dev test fetches them where there is an npm registry";
  ::setenv("NODE_PATH", kStreamModules.c_str(), 1);
  struct Call {
    std::string client;
    std::string api;
    std::string path;
    std::string why;
  };
  for (const auto& [client, api, path, why] :
       {Call{"openai", "openai", "/v1/chat/completions", "length"},
        Call{"responses", "openai-responses", "/v1/responses", "max_output_tokens"},
        Call{"anthropic", "anthropic", "/v1/messages", "max_tokens"}}) {
    const Proxy proxy(config(path, api, Json::object()));
    const auto base = "http://127.0.0.1:" + std::to_string(proxy.gateway.port()) + (api == "anthropic" ? "" : "/v1");
    Process caller({kStreamCaller, client, base, kStreamKey}, {}, kNode);
    EXPECT_EQ(caller.wait(std::chrono::seconds(60)), 0);
    // 60 tokens, of which "Hello" and its role take some, are at most 40 words of six bytes.
    EXPECT_THAT(caller.out() + caller.err(), testing::MatchesRegex(why + " after (3[0-9]|4[0-9]) words\n")) << client;
    EXPECT_EQ(used(proxy), 60) << client;
  }
}

TEST_F(BudgetStreams, AreReadToTheirEndIfTheirClientLeaves) {
  const std::string path = "/v1/chat/completions";
  const std::string body = R"({"model":"paced","stream":true,"max_tokens":25,"stream_options":{"include_usage":true}})";
  const Proxy proxy(config(path, "openai", {{"hold", {{"otherwise", 20}}}, {"on_hangup", "drain"}}));
  {
    auto client = proxy.client();
    client.send(
        request_with_body("POST", path, body, "X-API-Key: " + kStreamKey + "\r\nContent-Type: application/json\r\n"));
    EXPECT_THAT(client.read_bytes(700), testing::HasSubstr("word0"));
  }
  EXPECT_TRUE(comes_to(proxy, 35)) << "the stream reports 10 and 25 tokens";
  {
    H2Client client(proxy.gateway.port());
    client.send(
        h2_request(1, h2_get(path, {{"x-api-key", kStreamKey}, {"content-type", "application/json"}}, "POST"), false));
    client.send(
        h2_frame(h2_data, kEndStream, 1, body.substr(0, body.find("25")) + "15" + body.substr(body.find("25") + 2)));
    EXPECT_TRUE(client.next(h2_data).has_value());
    client.send(h2_frame(h2_rst_stream, 0, 1, h2_number(8)));
    EXPECT_TRUE(comes_to(proxy, 60)) << "10 and 15 more";
  }
}

}  // namespace
}  // namespace headgate::test
