// Budgets of tokens in front of fake servers in the shapes of several APIs, whole and streamed, with the clients that
// their users have.

#include "blackbox/harness/gateway.hpp"
#include "blackbox/harness/process.hpp"
#include "blackbox/harness/real_server.hpp"
#include "support/redis_cli.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

namespace headgate::test {
namespace {

const std::string kFakeModels = HEADGATE_SOURCE_DIR "/tests/blackbox/clients/models.js";
const std::string kSdkCaller = HEADGATE_SOURCE_DIR "/tests/blackbox/clients/budgets.js";
const std::string kSdkModules = HEADGATE_SOURCE_DIR "/build/npm/node_modules";
const std::string kBudgetKey = "acme-key-of-some-length-0001";

constexpr std::string_view kNoClients =
    "no openai or @anthropic-ai/sdk on this machine; ./dev test fetches them where there is an npm registry";

class Budgets : public testing::Test {
 protected:
  Budgets() : models_(kNode, [](std::uint16_t port) { return Words{kFakeModels, std::to_string(port)}; }) {}
  void SetUp() override {
    if (!installed(kNode)) GTEST_SKIP() << "no node on this machine";
    ASSERT_TRUE(models_.listens()) << models_.said();
  }
  /// A budget of 10000 tokens an hour in front of the servers, for the paths of all APIs.
  Json config() const {
    Json routes = Json::array();
    for (const auto& [path, api] :
         std::vector<std::pair<std::string, std::string>>{{"/v1/chat/completions", "openai"},
                                                          {"/vllm/*", "openai"},
                                                          {"/v1/responses", "openai-responses"},
                                                          {"/v1/messages", "anthropic"},
                                                          {"/v1beta/*", "gemini"},
                                                          {"/api/*", "ollama"}}) {
      Json cost = {{"usage", api}, {"hold", {{"otherwise", 5000}, {"input", 4}}}, {"most", 8000}, {"debt", true}};
      if (api == "openai") cost["ask_usage"] = true;
      routes.push_back(
          {{"path", path}, {"to", "model"}, {"require", "api_key"}, {"limits", {{{"use", "tokens"}, {"cost", cost}}}}});
    }
    return {
        {"identity",
         {{"api_key", {{"header", {"Authorization", "X-API-Key"}}, {"keys", {{"acme", {{"key", kBudgetKey}}}}}}}}},
        {"upstreams", {{"model", models_.url("http")}}},
        {"limits",
         {{"tokens", {{"rate", "10000/hour"}, {"algorithm", "fixed_window"}, {"per", "api_key"}, {"unit", "token"}}}}},
        {"usage", "/left"},
        {"routes", routes}};
  }
  /// Whether the clients of the APIs are on this machine. If so, node finds them.
  static bool has_clients() {
    if (!std::filesystem::exists(kSdkModules + "/openai") ||
        !std::filesystem::exists(kSdkModules + "/@anthropic-ai/sdk"))
      return false;
    ::setenv("NODE_PATH", kSdkModules.c_str(), 1);
    return true;
  }
  /// The words of a client that calls a model and tries again up to three times.
  static Words patient(const std::string& api, const std::string& base, std::int64_t most, const std::string& model) {
    return {kSdkCaller, api, api == "anthropic" ? base : base + "/v1", kBudgetKey, "whole", std::to_string(most),
            model,      "3"};
  }
  static std::string said_by(const Words& words) {
    Process caller(words, {}, kNode);
    EXPECT_EQ(caller.wait(std::chrono::seconds(60)), 0);
    return caller.out() + caller.err();
  }
  /// The tokens that are used so far.
  static std::int64_t used(const Proxy& proxy) {
    auto client = proxy.client();
    const auto told = client.get("/left", "X-API-Key: " + kBudgetKey + "\r\n");
    EXPECT_EQ(told.status(), 200) << told.body;
    return Json::parse(told.body).at("limits").at(0).at("used").get<std::int64_t>();
  }

  RealServer models_;
};

TEST_F(Budgets, CostWhatEachApiReportsWholeAndStreamed) {
  const Proxy proxy(config());
  struct Call {
    std::string path;
    Json body;
    std::int64_t cost;
  };
  const std::vector<Call> calls = {
      {"/v1/chat/completions", {{"model", "m"}, {"max_tokens", 15}}, 25},
      {"/v1/chat/completions", {{"model", "m"}, {"stream", true}}, 30},
      {"/vllm/v1/chat/completions", {{"model", "m"}, {"stream", true}, {"max_tokens", 5}}, 15},
      {"/v1/responses", {{"model", "m"}, {"max_output_tokens", 4}}, 14},
      {"/v1/responses", {{"model", "m"}, {"stream", true}}, 30},
      {"/v1/messages", {{"model", "m"}, {"max_tokens", 8}}, 18},
      {"/v1/messages", {{"model", "m"}, {"max_tokens", 100}, {"stream", true}}, 30},
      {"/v1beta/models/g:generateContent", Json::object(), 30},
      {"/v1beta/models/g:streamGenerateContent", {{"generationConfig", {{"maxOutputTokens", 3}}}}, 13},
      {"/api/chat", {{"model", "m"}, {"stream", false}}, 30},
      {"/api/chat", {{"model", "m"}, {"options", {{"num_predict", 2}}}}, 12},
      {"/v1/chat/completions", {{"model", "unknown"}}, 0},
  };
  std::int64_t sum = 0;
  for (const auto& [path, body, cost] : calls) {
    auto client = proxy.client();
    const auto answer = client.ask(request_with_body(
        "POST", path, body.dump(), "X-API-Key: " + kBudgetKey + "\r\nContent-Type: application/json\r\n"));
    EXPECT_EQ(answer.status(), cost == 0 ? 404 : 200) << answer.body;
    sum += cost;
    EXPECT_EQ(used(proxy), sum) << path << ' ' << body;
  }
}

TEST_F(Budgets, AreReadWhereTheirClientsCallThem) {
  if (!has_clients()) GTEST_SKIP() << kNoClients;
  const Proxy proxy(config());
  const auto base = "http://127.0.0.1:" + std::to_string(proxy.gateway.port());
  std::int64_t sum = 0;
  for (const std::string api : {"openai", "responses", "anthropic"}) {
    for (const std::string how : {"whole", "stream"}) {
      Process caller({kSdkCaller, api, api == "anthropic" ? base : base + "/v1", kBudgetKey, how, "16"}, {}, kNode);
      EXPECT_EQ(caller.wait(std::chrono::seconds(60)), 0);
      EXPECT_EQ(caller.out() + caller.err(), "answered 16 words\n") << api << ' ' << how;
      sum += 26;
      EXPECT_EQ(used(proxy), sum) << api << ' ' << how;
    }
  }
  Process dear({kSdkCaller, "openai", base + "/v1", kBudgetKey, "whole", "9999"}, {}, kNode);
  EXPECT_EQ(dear.wait(std::chrono::seconds(60)), 0);
  EXPECT_EQ(dear.out().substr(0, 19), "answered 20 words\n") << "no hold is above `most`";
}

TEST_F(Budgets, TellTheirClientsWhetherTryingAgainHelps) {
  if (!has_clients()) GTEST_SKIP() << kNoClients;
  auto wanted = config();
  auto& limit = wanted["limits"]["tokens"];
  limit["rate"] = "6000/hour";
  limit["spent_status"] = 402;
  for (auto& route : wanted["routes"])
    route["rejection"] = {{"body", route["path"] == "/v1/messages" ? "anthropic" : "openai"}};
  const Proxy proxy(wanted);
  const auto base = "http://127.0.0.1:" + std::to_string(proxy.gateway.port());
  for (const std::string api : {"openai", "anthropic"}) {
    Process slow(patient(api, base, 5500, "slow"), {}, kNode);
    ASSERT_TRUE(wait_until([&] { return used(proxy) > 5000; })) << "the slow call holds nearly all";
    const auto behind = said_by(patient(api, base, 1000, "m"));
    EXPECT_EQ(behind.substr(0, 21), "answered 20 words in ") << api << ": it waits for the slow call: " << behind;
    EXPECT_EQ(slow.wait(std::chrono::seconds(60)), 0);
    EXPECT_EQ(slow.out(), "answered 20 words\n");

    const auto spent = said_by(patient(api, base, 5980, "m"));
    EXPECT_EQ(spent.find(" requests"), std::string::npos) << "a 402 is not tried again: " << spent;
    EXPECT_NE(spent.find(" 402: "), std::string::npos) << spent;
    EXPECT_NE(spent.find("This request may use "), std::string::npos) << spent;

    const auto never = said_by(patient(api, base, 7000, "m"));
    EXPECT_EQ(never.substr(0, 20), "RateLimitError 429: ") << never;
    EXPECT_EQ(never.find(" requests"), std::string::npos) << never;
  }
}

}  // namespace
}  // namespace headgate::test
