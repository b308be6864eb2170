// Limits that count the money of calls of a language model.

#include "unit/gateway/path/path.hpp"

#include "headgate/usage/prices.hpp"

namespace headgate::gateway::test {
namespace {

/// A limit of 1000 micro-units an hour. "small" costs 1 micro-unit a token of input and 2 of output, "free" nothing.
class PathMoney : public Path {
 protected:
  PathMoney() {
    auto& spend = in_memory("spend", "1000/hour");
    spend.unit = spend.tiers[0].rules[0].unit = limit::Unit::money;
    auto& cost = route.limits.back().cost;
    cost.from = find_cost_source("usage");
    cost.name = "openai";
    cost.default_value = 100;
    cost.most = 900;
    cost.hold.of_usage = true;
    cost.hold.input = 4;
    prices = std::make_shared<const usage::Prices>(*usage::Prices::parse(
        R"({"models":{"small":{"input":"1","output":"2","max_output":200},"free":{"input":"0","output":"0"}}})"));
  }
  void send(const std::string& body) {
    check("POST /v1/chat/completions",
          "Content-Type: application/json\r\nContent-Length: " + std::to_string(body.size()) + "\r\n",
          {{body, Duration(0), {}}});
  }
  void answer(const std::string& usage, Duration after = Duration(0)) {
    server.fields = {{http::Known::content_type, "Content-Type", "application/json"}};
    server.framing = {http::Framing::Kind::unknown, 0};
    server.body = {{"{\"usage\":" + usage + "}", after, {}}};
  }
};

TEST_F(PathMoney, CostsTheTokensAtTheirPrices) {
  answer(R"({"prompt_tokens":10,"completion_tokens":20,"total_tokens":30})", seconds(1));
  send(R"({"model":"small","max_tokens":50,"text":"12345678"})");
  EXPECT_EQ(left("spend"), 1000U - 50 * 2 - 4) << "the hold: 50 tokens of output, and 13 bytes of text";
  clock.advance(seconds(1));
  ASSERT_TRUE(done);
  EXPECT_EQ(left("spend"), 950U);
}

TEST_F(PathMoney, HoldsNoMoreOutputThanTheModelCanHave) {
  answer("{}", seconds(1));
  send(R"({"model":"small","max_tokens":100000})");
  EXPECT_EQ(left("spend"), 1000U - 400 - 2);
}

TEST_F(PathMoney, RefusesAModelWithoutAPrice) {
  for (const std::string body :
       {R"({"model":"large"})", R"({"model":"small","model":"free"})", R"({"text":1})", R"({"model")"}) {
    send(body);
    ASSERT_TRUE(done);
    EXPECT_EQ(client.status, 400U) << body;
    x.reset();
    client.forget();
  }
  EXPECT_TRUE(app->report.targets.empty());
  EXPECT_EQ(left("spend"), 1000U);
}

TEST_F(PathMoney, ChargesTheStatedCostOfAModelWithoutAPrice) {
  route.limits.back().cost.unpriced = 77;
  answer(R"({"prompt_tokens":10,"completion_tokens":20,"total_tokens":30})");
  send(R"({"model":"large"})");
  EXPECT_EQ(client.status, 200U);
  EXPECT_EQ(left("spend"), 923U);
}

TEST_F(PathMoney, LetsAFreeModelPassASpentBudget) {
  answer(R"({"prompt_tokens":500,"completion_tokens":250,"total_tokens":750})");
  send(R"({"model":"small","max_tokens":10})");
  EXPECT_EQ(left("spend"), 100U) << "at most `most`";
  x.reset();
  client.forget();
  answer(R"({"prompt_tokens":9,"completion_tokens":9,"total_tokens":18})");
  send(R"({"model":"free","max_tokens":100000})");
  EXPECT_EQ(client.status, 200U);
  EXPECT_EQ(left("spend"), 100U);
}

TEST_F(PathMoney, IsToldInTheCurrencyOfThePrices) {
  answer(R"({"prompt_tokens":500,"completion_tokens":150,"total_tokens":650})");
  send(R"({"model":"small","max_tokens":10})");
  ASSERT_EQ(left("spend"), 200U);
  x.reset();
  client.forget();
  send(R"({"model":"small","max_tokens":150})");
  EXPECT_EQ(client.status, 429U);
  EXPECT_THAT(client.body, testing::HasSubstr("This request may use 0.000305 USD of the limit of 0.001 USD/hour, and "
                                              "0.0002 USD is left. Try again in "));
}

TEST_F(PathMoney, IsExplainedInTheCurrencyOfThePrices) {
  const auto told = explain("POST /v1/chat/completions");
  ASSERT_EQ(told.limits.size(), 1U);
  EXPECT_EQ(told.limits[0].currency, "USD");
  EXPECT_EQ(told.limits[0].rules.at(0).rate, "0.001 USD/hour");
}

TEST_F(PathMoney, IsCountedByModelsThatHaveAPrice) {
  const auto of_model = [this](const std::string& model) {
    return metric(R"(headgate_limit_model_units_total{limit="spend",model=")" + model + "\"}");
  };
  route.limits.back().cost.unpriced = 77;
  answer(R"({"prompt_tokens":10,"completion_tokens":20,"total_tokens":30})");
  send(R"({"model":"small"})");
  for (const std::string model : {"large", "x-1", "x-2"}) {
    x.reset();
    client.forget();
    answer(R"({"prompt_tokens":10,"completion_tokens":20,"total_tokens":30})");
    send(R"({"model":")" + model + R"("})");
  }
  EXPECT_EQ(of_model("small"), "50");
  EXPECT_EQ(of_model("other"), "231");
  EXPECT_EQ(of_model("x-1"), "");
}

TEST_F(PathMoney, FindsTheModelInThePathOfGemini) {
  route.limits.back().cost.name = "gemini";
  answer("{}");
  check("POST /v1beta/models/small:generateContent", "Content-Type: application/json\r\nContent-Length: 2\r\n",
        {{"{}", Duration(0), {}}});
  EXPECT_EQ(client.status, 200U);
}

}  // namespace
}  // namespace headgate::gateway::test
