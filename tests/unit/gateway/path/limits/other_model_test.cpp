// Calls that a spent budget or an open circuit sends to another upstream, with another model in their body.

#include "unit/gateway/path/limits/model_calls.hpp"

#include "headgate/usage/prices.hpp"

namespace headgate::gateway::test {
namespace {

using testing::HasSubstr;

class PathOtherModel : public ModelCalls {
 protected:
  PathOtherModel() {
    next_app = std::make_shared<ScriptedUpstream>(clock, trace, "next");
    route.to_instead = "next";
    route.model_instead = "small";
    reports(100, 900);
  }
  Cost& budget(limit::Store store = limit::Store::memory) {
    limit_by("client_ip", "tokens", "1000/hour", store);
    return counts_usage();
  }
  void use_up() {
    call(R"({"model":"large","max_tokens":1000})");
    ASSERT_EQ(client.status, 200U);
    ASSERT_EQ(left("tokens"), 0U);
  }
  void break_circuit() {
    upstream().circuit.emplace();
    break_circuit_now();
  }
  void break_circuit_now() {
    app->gate.state = balance::CircuitState::open;
    app->door.emplace(app->gate);
  }
  std::string sent() const { return next_app->report.bodies.empty() ? "" : next_app->report.bodies.back(); }
};

TEST_F(PathOtherModel, GetsTheCallsThatABudgetRejects) {
  budget();
  use_up();
  EXPECT_EQ(app->report.bodies.back(), R"({"model":"large","max_tokens":1000})") << "a call that fits stays unchanged";
  call(R"({"max_tokens":10, "model" : "lar\u0067e" ,"messages":[{"content":"large"}]})");
  EXPECT_EQ(client.status, 200U);
  EXPECT_EQ(x.upstream, "next");
  EXPECT_EQ(sent(), R"({"max_tokens":10, "model" : "small" ,"messages":[{"content":"large"}]})");
  EXPECT_EQ(x.request.framing.length, sent().size());
  EXPECT_EQ(app->report.bodies.size(), 1U);
}

TEST_F(PathOtherModel, CanBeOneOfTheSameUpstream) {
  route.to_instead = "app";
  upstream().circuit.emplace();
  budget();
  use_up();
  call(R"({"model":"large"})");
  EXPECT_EQ(client.status, 200U);
  EXPECT_EQ(app->report.bodies.back(), R"({"model":"small"})");
  break_circuit_now();
  call(R"({"model":"large"})");
  EXPECT_EQ(client.status, 503U);
  EXPECT_EQ(metric("headgate_sent_elsewhere_total{route=\"things\",reason=\"circuit\"}"), "");
}

TEST_F(PathOtherModel, IsWrittenAsJson) {
  route.model_instead = "a\"b\\";
  budget();
  use_up();
  call(R"({"model":"large"})");
  EXPECT_EQ(sent(), R"({"model":"a\"b\\"})");
}

TEST_F(PathOtherModel, GetsTheCallsThatRedisRejects) {
  budget(limit::Store::redis);
  redis->rejects = "tokens";
  call(R"({"model":"large"})");
  EXPECT_EQ(client.status, 200U);
  EXPECT_EQ(sent(), R"({"model":"small"})");
}

TEST_F(PathOtherModel, IsWrittenIntoNoBodyThatCannotBeChanged) {
  budget();
  use_up();
  for (const std::string body : {R"({"max_tokens":10})", R"({"model":"large","model":"huge"})", R"({"Model":"large"})",
                                 R"({"model":5})", R"([{"model":"large"}])", R"({"model":"large")"}) {
    call(body);
    EXPECT_EQ(client.status, 429U) << body;
  }
  call(R"({"model":"large"})", "Content-Digest: sha-256=:X48E9qOokqqrvdts8nOJRJN3OWDUoyWxBf7kbu9DBPE=:\r\n");
  EXPECT_EQ(client.status, 429U);
  EXPECT_EQ(sent(), "");
}

TEST_F(PathOtherModel, GetsNoBodyThatIsTooLongToBeRead) {
  route.read_body = 40;
  budget().default_value = 1'000;
  use_up();
  call(R"({"model":"large","messages":[{"content":"a long text"}]})");
  EXPECT_EQ(client.status, 429U);
}

TEST_F(PathOtherModel, GetsTheCallsThatALimitRejectsBeforeTheirBodyIsRead) {
  in_memory("calls", "1/hour");
  budget();
  use_up();
  call(R"({"model":"large"})");
  EXPECT_EQ(client.status, 200U);
  EXPECT_EQ(sent(), R"({"model":"small"})");
  call(R"({"model":5})");
  EXPECT_EQ(client.status, 400U);
  EXPECT_THAT(client.body, HasSubstr("its body cannot be changed for that"));
}

TEST_F(PathOtherModel, IsTheOneThatCallsPayForWhileTheCircuitIsOpen) {
  auto& cost = budget();
  limits.back().unit = limit::Unit::money;
  cost.hold.clamp = true;
  cost.hold.at_least = 10;
  prices = std::make_shared<const usage::Prices>(
      *usage::Prices::parse(R"({"models":{"large":{"input":"9","output":"9"},"small":{"input":"0","output":"2"}}})"));
  break_circuit();
  call(R"({"model":"large","max_tokens":100})");
  EXPECT_EQ(client.status, 200U);
  EXPECT_EQ(sent(), R"({"model":"small","max_tokens":100})");
  EXPECT_EQ(held(), 200);
  call(R"({"model":"unknown","max_tokens":2000})");
  EXPECT_EQ(client.status, 200U);
  EXPECT_EQ(sent(), R"({"model":"small","max_tokens":400})") << "with the maximum that the limit allows";
}

TEST_F(PathOtherModel, IsTheValueThatLimitsCountByWhileTheCircuitIsOpen) {
  limit_by("body:/model", "models", "10/hour");
  break_circuit();
  call(R"({"model":"large"})");
  EXPECT_EQ(client.status, 200U);
  ASSERT_EQ(x.admission.checks.size(), 1U);
  EXPECT_EQ(x.admission.checks.front().key, "small");
}

TEST_F(PathOtherModel, IsToldToWhoOnlyAsks) {
  in_memory("calls", "1/hour");
  budget();
  use_up();
  const auto told = explain("POST /v1/chat/completions");
  EXPECT_EQ(besides(told, "goes_instead_to"), "next");
  EXPECT_EQ(besides(told, "names_instead_the_model"), "small");
}

TEST_F(PathOtherModel, IsNoneForProxiesThatAskAboutTheCall) {
  asked_by = net::AskingProxy::nginx;
  route.to_instead = "next";
  in_memory("calls", "1/hour");
  budget();
  const std::string fields = "X-Original-URI: /a\r\nX-Original-Method: POST\r\n";
  check("GET /decide", fields);
  ask_again("GET /decide", fields);
  EXPECT_NE(client.status, 200U);
}

}  // namespace
}  // namespace headgate::gateway::test
