// Bodies of problems that the configuration chooses: as clients of others parse them, and texts of the user.

#include "unit/gateway/path/path.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace headgate::gateway::test {
namespace {

using testing::HasSubstr;
using testing::Not;
using Json = nlohmann::json;

const std::string kOpensAPage = "Accept: text/html\r\n";

BodyTemplatePtr page(const std::string& type, const std::string& text) {
  return std::make_shared<const BodyTemplate>(
      BodyTemplate{.content_type = type, .escape = escape_of_type(type).value(), .parts = read_body(text)});
}

class PathOwnBody : public Path {
 protected:
  PathOwnBody() { route.path = "/a"; }
  void as(OwnBody::Form form) { route.own_body = OwnBody{.form = form, .text = nullptr}; }
  Json asked(const std::string& fields = {}) {
    if (gateway)
      ask_again("GET /a", fields);
    else
      check("GET /a", fields);
    EXPECT_TRUE(done);
    return Json::parse(client.body, nullptr, false);
  }
  Json refused_twice() {
    asked();
    return asked();
  }
};

TEST_F(PathOwnBody, OfOpenAiHasWhatItsClientsRead) {
  in_memory("plan", "1/hour");
  as(OwnBody::Form::openai);
  const auto told = refused_twice();
  EXPECT_EQ(client.status, 429U);
  EXPECT_EQ(client.fields["Content-Type"], "application/json");
  EXPECT_EQ(told, Json({{"error",
                         {{"message", "The limit of 1/hour is used up. Try again in 60 minutes."},
                          {"type", "requests"},
                          {"param", nullptr},
                          {"code", "rate_limit_exceeded"}}}}));
}

TEST_F(PathOwnBody, OfOpenAiSaysThatTokensAreUsedUp) {
  in_memory("plan", "1/hour").unit = limit::Unit::token;
  as(OwnBody::Form::openai);
  EXPECT_EQ(refused_twice()["error"]["type"], "tokens");
}

TEST_F(PathOwnBody, OfAnthropicHasWhatItsClientsRead) {
  in_memory("plan", "1/hour");
  as(OwnBody::Form::anthropic);
  const auto told = refused_twice();
  EXPECT_EQ(
      told,
      Json({{"type", "error"},
            {"error",
             {{"type", "rate_limit_error"}, {"message", "The limit of 1/hour is used up. Try again in 60 minutes."}}},
            {"request_id", std::string(x.request_id)}}));
  EXPECT_EQ(client.fields["Request-Id"], x.request_id);
}

TEST_F(PathOwnBody, SaysThatABudgetIsSpent) {
  auto& plan = in_memory("plan", "1/hour");
  plan.unit = plan.tiers[0].rules[0].unit = limit::Unit::token;
  plan.spent_status = 402;
  as(OwnBody::Form::openai);
  const auto of_openai = refused_twice();
  EXPECT_EQ(client.status, 402U);
  EXPECT_EQ(of_openai["error"]["type"], "insufficient_quota");
  EXPECT_EQ(of_openai["error"]["code"], "insufficient_quota");
  EXPECT_EQ(of_openai["error"]["message"], "The limit of 1 token/hour is used up. Try again in 60 minutes.");
}

TEST_F(PathOwnBody, OfAnthropicSaysThatABudgetIsSpent) {
  auto& plan = in_memory("plan", "1/hour");
  plan.unit = limit::Unit::money;
  plan.spent_status = 402;
  as(OwnBody::Form::anthropic);
  EXPECT_EQ(refused_twice()["error"]["type"], "billing_error");
  EXPECT_EQ(client.fields["X-Should-Retry"], "false");
}

TEST_F(PathOwnBody, OfOpenAiSaysThatMoneyIsSpent) {
  in_memory("plan", "1/hour").unit = limit::Unit::money;
  as(OwnBody::Form::openai);
  const auto told = refused_twice();
  EXPECT_EQ(client.status, 429U);
  EXPECT_EQ(told["error"]["code"], "insufficient_quota") << "as OpenAI itself";
}

TEST_F(PathOwnBody, IsThatOfAllProblemsOfTheRoute) {
  server.unreachable = Failure{.what = Failed::no_connection};
  as(OwnBody::Form::anthropic);
  EXPECT_EQ(asked(kOpensAPage)["error"]["type"], "api_error") << "whatever the client takes";
}

TEST_F(PathOwnBody, OfOpenAiHasOurCodeWhereItHasNone) {
  server.unreachable = Failure{.what = Failed::no_connection};
  as(OwnBody::Form::openai);
  EXPECT_EQ(asked()["error"]["code"], "no_server");
  EXPECT_EQ(client.status, 502U);
}

TEST_F(PathOwnBody, OfARouteIsNotUsedForOtherRoutes) {
  as(OwnBody::Form::openai);
  check("GET /nowhere");
  EXPECT_EQ(client.status, 404U);
  EXPECT_EQ(client.fields["Content-Type"], "application/problem+json");
}

TEST_F(PathOwnBody, OfTheWholeGatewayIsThatOfRequestsWithoutARoute) {
  options.rejection.body.form = OwnBody::Form::openai;
  check("GET /nowhere");
  EXPECT_EQ(client.status, 404U);
  EXPECT_EQ(Json::parse(client.body)["error"]["type"], "invalid_request_error");
}

TEST_F(PathOwnBody, NoneAppliesOnlyToRejections) {
  in_memory("plan", "1/hour");
  options.rejection.body.form = OwnBody::Form::none;
  asked();
  asked();
  EXPECT_EQ(client.status, 429U);
  EXPECT_EQ(client.body, "");
  ask_again("GET /nowhere");
  EXPECT_EQ(client.status, 404U);
  EXPECT_NE(client.body, "");
}

TEST_F(PathOwnBody, OfARouteMayBeTheUsualOneAgain) {
  in_memory("plan", "1/hour");
  options.rejection.body.form = OwnBody::Form::none;
  as(OwnBody::Form::problem);
  EXPECT_EQ(refused_twice()["code"], "limit");
}

TEST_F(PathOwnBody, OfAUserHasItsVariablesEscapedForItsType) {
  in_memory("a\"b<c", "1/hour");
  route.own_body = OwnBody{
      .form = {},
      .text = page(
          "application/json",
          R"({"why": "{detail}", "n": {status}, "limit": "{limit}", "again": {retry_after}, "id": "{request_id}"})")};
  const auto told = refused_twice();
  EXPECT_EQ(told["why"], "The limit of 1/hour is used up.");
  EXPECT_EQ(told["n"], 429);
  EXPECT_EQ(told["limit"], "a\"b<c");
  EXPECT_EQ(told["again"], 3600);
  EXPECT_EQ(client.fields["Content-Type"], "application/json");
}

TEST_F(PathOwnBody, OfAUserInMarkupHasNoMarkupOfValues) {
  in_memory("a\"b<c", "1/hour");
  route.own_body = OwnBody{.form = {}, .text = page("application/xml", "<e code='{code}' limit=\"{limit}\"/>{braces}")};
  asked();
  asked();
  EXPECT_EQ(client.body, "<e code='limit' limit=\"a&quot;b&lt;c\"/>{braces}");
}

TEST_F(PathOwnBody, APageOfTheUserIsForItsStatusesAndItsForm) {
  route.methods = {"GET"};
  options.pages = {
      {.first = 404, .last = 404, .form = ProblemForm::html, .text = page("text/html", "<b>{status}</b>")},
      {.first = 400, .last = 599, .form = ProblemForm::json, .text = page("application/json", "{status}")}};
  check("GET /nowhere", kOpensAPage);
  EXPECT_EQ(client.body, "<b>404</b>");
  EXPECT_EQ(client.fields["Vary"], "Accept");
  ask_again("GET /nowhere");
  EXPECT_EQ(client.body, "404");
  ask_again("POST /a", kOpensAPage);
  EXPECT_EQ(client.status, 405U);
  EXPECT_THAT(client.body, HasSubstr("<h1>405 Method Not Allowed</h1>"))
      << "the page of the gateway, where there is none";
}

TEST_F(PathOwnBody, VisitorsReadNothingOfLimitsAndAreLedHome) {
  in_memory("plan", "1/hour");
  asked(kOpensAPage);
  asked(kOpensAPage);
  EXPECT_THAT(client.body, HasSubstr("<h1>429 Too Many Requests</h1>"));
  EXPECT_THAT(client.body, Not(HasSubstr("1/hour")));
  EXPECT_THAT(client.body, HasSubstr("Please try again in 60 minutes."));
  EXPECT_THAT(client.body, HasSubstr("<a href=\"/\">"));
}

TEST_F(PathOwnBody, TheHomePageIsWhereTheUserSays) {
  options.home = "https://example.com/?a=1&b=\"2\"";
  check("GET /nowhere", kOpensAPage);
  EXPECT_THAT(client.body, HasSubstr("href=\"https://example.com/?a=1&amp;b=&quot;2&quot;\""));
}

TEST_F(PathOwnBody, HasNoLinkWithoutAHomePage) {
  options.home = "";
  check("GET /nowhere", kOpensAPage);
  EXPECT_THAT(client.body, Not(HasSubstr("href")));
}

TEST_F(PathOwnBody, AProblemOfTheHomePageDoesNotLeadThere) {
  options.home = "/nowhere";
  check("GET /nowhere", kOpensAPage);
  EXPECT_EQ(client.status, 404U);
  EXPECT_THAT(client.body, Not(HasSubstr("href")));
}

TEST(BodyTemplate, KeepsBracesThatAreNoVariable) {
  const BodyTemplate made{
      .content_type = {}, .escape = BodyEscape::none, .parts = read_body("{ {x} {{status}} {status")};
  ASSERT_EQ(made.parts.size(), 3U);
  EXPECT_EQ(made.parts[0].text, "{ {x} {");
  EXPECT_EQ(made.parts[1].variable, BodyVariable::status);
  EXPECT_EQ(made.parts[2].text, "} {status");
}

TEST(BodyTemplate, KnowsTheTypesThatItEscapesFor) {
  EXPECT_EQ(escape_of_type("application/problem+json; charset=utf-8"), BodyEscape::json);
  EXPECT_EQ(escape_of_type("Text/HTML;charset=utf-8"), BodyEscape::markup);
  EXPECT_EQ(escape_of_type("text/plain"), BodyEscape::none);
  EXPECT_EQ(escape_of_type("text/javascript"), std::nullopt);
}

}  // namespace
}  // namespace headgate::gateway::test
