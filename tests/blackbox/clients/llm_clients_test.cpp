// The clients of OpenAI and Anthropic in front of a gateway, as their users have them: with the gateway's address and
// key in place of theirs, and nothing else.

#include "blackbox/harness/gateway.hpp"
#include "blackbox/harness/process.hpp"
#include "blackbox/harness/real_server.hpp"

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>

namespace headgate::test {
namespace {

const std::string kClientModules = HEADGATE_SOURCE_DIR "/build/npm/node_modules";
const std::string kScript = HEADGATE_SOURCE_DIR "/tests/blackbox/clients/llm.js";
const std::string kClientKey = "acme-key-of-some-length-0001";

Json answer_of_openai() {
  return {{"id", "c"},
          {"object", "chat.completion"},
          {"choices", {{{"index", 0}, {"message", {{"role", "assistant"}, {"content", "Hi"}}}}}}};
}

Json answer_of_anthropic() {
  return {{"id", "m"}, {"type", "message"}, {"role", "assistant"}, {"content", {{{"type", "text"}, {"text", "Hi"}}}}};
}

class LlmClients : public testing::Test {
 protected:
  void SetUp() override {
    if (!installed(kNode) || !std::filesystem::exists(kClientModules + "/openai") ||
        !std::filesystem::exists(kClientModules + "/@anthropic-ai/sdk"))
      GTEST_SKIP()
          << "no openai or @anthropic-ai/sdk on this machine; ./dev test fetches them where there is an npm registry";
    ::setenv("NODE_PATH", kClientModules.c_str(), 1);
  }
  /// `more` is for both routes.
  static Json route(const std::string& path, const std::string& body, const Json& answer, const Json& more) {
    Json out = {{"path", path},
                {"require", "api_key"},
                {"rejection", {{"body", body}}},
                {"respond", {{"status", 200}, {"body", answer.dump()}, {"content_type", "application/json"}}}};
    out.merge_patch(more);
    return out;
  }
  static Json config(const std::string& rate, const Json& more = Json::object()) {
    return {{"identity",
             {{"api_key", {{"header", {"Authorization", "X-API-Key"}}, {"keys", {{"acme", {{"key", kClientKey}}}}}}}}},
            {"limits", {{"calls", {{"rate", rate}, {"burst", 1}, {"per", {"api_key", "route"}}, {"unit", "token"}}}}},
            {"rejection", {{"body", "openai"}}},
            {"routes",
             {route("/v1/chat/completions", "openai", answer_of_openai(), more),
              route("/v1/messages", "anthropic", answer_of_anthropic(), more)}}};
  }
  static std::string asked(const Proxy& proxy, const std::string& which, const std::string& key, int retries = 0,
                           int times = 1, const std::string& below = {}) {
    const auto base =
        "http://127.0.0.1:" + std::to_string(proxy.gateway.port()) + below + (which == "openai" ? "/v1" : "");
    Process process({kScript, which, base, key, std::to_string(retries), std::to_string(times)}, {}, kNode);
    EXPECT_EQ(process.wait(std::chrono::seconds(60)), 0);
    return process.out() + process.err();
  }
};

const Json kLimited = {{"limits", {"calls"}}};

TEST_F(LlmClients, WorkWithTheirKeysWhereTheyPutThem) {
  const Proxy proxy(config("10/second"));
  EXPECT_EQ(asked(proxy, "openai", kClientKey).substr(0, 11), "answered Hi");
  EXPECT_EQ(asked(proxy, "anthropic", kClientKey).substr(0, 11), "answered Hi");
}

TEST_F(LlmClients, RaiseTheExceptionOfAWrongKeyAndDoNotRepeatIt) {
  const Proxy proxy(config("10/second"));
  const auto wrong = "another-key-of-some-length-0";
  EXPECT_TRUE(has(asked(proxy, "openai", wrong, 2),
                  "AuthenticationError 401 invalid_request_error invalid_api_key id with 1: 401 "));
  EXPECT_TRUE(
      has(asked(proxy, "anthropic", wrong, 2), "AuthenticationError 401 error authentication_error id with 1: 401 "));
}

TEST_F(LlmClients, RaiseTheExceptionOfALimit) {
  const Proxy proxy(config("1/minute", kLimited));
  EXPECT_EQ(asked(proxy, "openai", kClientKey, 0, 2),
            "RateLimitError 429 tokens rate_limit_exceeded id with 2: 429 The limit of 1 token/minute is used up. Try "
            "again in 60 seconds.\n");
  EXPECT_TRUE(
      has(asked(proxy, "anthropic", kClientKey, 0, 2), "RateLimitError 429 error rate_limit_error id with 2: 429 "));
}

TEST_F(LlmClients, ComeBackWhenTheyAreToldAndNoSooner) {
  const Proxy proxy(config("30/minute", kLimited));
  for (const auto* const which : {"openai", "anthropic"}) {
    const auto said = asked(proxy, which, kClientKey, 2, 2);
    double seconds = 0;
    int sent = 0;
    ASSERT_EQ(std::sscanf(said.c_str(), "answered Hi after %lf with %d", &seconds, &sent), 2) << said;
    EXPECT_EQ(sent, 3) << "one of them too early";
    EXPECT_GE(seconds, 1.5) << said;
    EXPECT_LT(seconds, 6) << said;
  }
}

TEST_F(LlmClients, DoNotComeBackWhereTheWaitIsLong) {
  const Proxy proxy(config("1/hour", kLimited));
  EXPECT_TRUE(
      has(asked(proxy, "openai", kClientKey, 5, 2), "RateLimitError 429 tokens rate_limit_exceeded id with 2: "));
  EXPECT_TRUE(
      has(asked(proxy, "anthropic", kClientKey, 5, 2), "RateLimitError 429 error rate_limit_error id with 2: "));
}

TEST_F(LlmClients, RaiseTheExceptionsOfOtherProblems) {
  const Proxy nowhere(config("10/second"));
  EXPECT_TRUE(has(asked(nowhere, "openai", kClientKey, 0, 1, "/other"),
                  "NotFoundError 404 invalid_request_error no_route id with 1: 404 "));
  Json demands = {{"require", {{"api_key", {{"tiers", {"gold"}}}}}}};
  const Proxy forbidden(config("10/second", demands));
  EXPECT_TRUE(
      has(asked(forbidden, "openai", kClientKey), "PermissionDeniedError 403 permission_error auth id with 1: 403 "));
  EXPECT_TRUE(has(asked(forbidden, "anthropic", kClientKey),
                  "PermissionDeniedError 403 error permission_error id with 1: 403 "));
  Json unreachable = config("10/second", {{"respond", nullptr}, {"to", "app"}});
  unreachable["upstreams"] = {{"app", "http://127.0.0.1:1"}};
  const Proxy down(unreachable);
  EXPECT_TRUE(has(asked(down, "openai", kClientKey), "InternalServerError 502 server_error no_server id with 1: 502 "));
  EXPECT_TRUE(has(asked(down, "anthropic", kClientKey), "InternalServerError 502 error api_error id with 1: 502 "));
}

}  // namespace
}  // namespace headgate::test
