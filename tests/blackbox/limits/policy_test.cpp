// What a limit means for each caller: tiers, scales, costs, exemptions, observe mode. One gateway, counted in its
// memory.

#include "blackbox/harness/gateway.hpp"
#include "blackbox/harness/look.hpp"
#include "support/jwt_signer.hpp"

#include <gtest/gtest.h>

#include <ctime>
#include <string>

namespace headgate::test {
namespace {

constexpr const char* kPlanSecret = "a secret of more than thirty-two bytes";

/// The statuses of `count` requests, in a row.
std::string in_a_row(RawClient& client, int count, const std::string& fields = "", const std::string& target = "/") {
  std::string out;
  for (int i = 0; i < count; ++i) out += (i == 0 ? "" : " ") + std::to_string(client.get(target, fields).status());
  return out;
}

std::string with_claims(const Json& claims) {
  Json all = {{"exp", std::time(nullptr) + 600}};
  all.update(claims);
  return "Authorization: Bearer " + sign_hs256(kPlanSecret, all.dump()) + "\r\n";
}

Json plans() {
  return {{"identity", {{"jwt", {{"algorithms", {"HS256"}}, {"secret", kPlanSecret}}}}},
          {"limits",
           {{"plan",
             {{"per", "jwt.org"},
              {"tier_from", "jwt.plan"},
              {"tiers",
               {{"free", {{"rate", "2/day"}}},
                {"pro", {{"rate", Json::array({"4/minute", "5/day"})}}},
                {"unmetered", "unlimited"}}},
              {"default_tier", "free"}}}}},
          {"routes", Json::array({{{"path", "/*"}, {"to", "app"}, {"require", "jwt"}, {"limits", {"plan"}}}})}};
}

TEST(Tiers, TheClaimNamesTheSize) {
  Proxy proxy(plans());
  RawClient client = proxy.client();
  EXPECT_EQ(in_a_row(client, 3, with_claims({{"org", "a"}, {"plan", "free"}})), "200 200 429");
  EXPECT_EQ(in_a_row(client, 5, with_claims({{"org", "b"}, {"plan", "pro"}})), "200 200 200 200 429");
  EXPECT_EQ(in_a_row(client, 8, with_claims({{"org", "c"}, {"plan", "unmetered"}})), "200 200 200 200 200 200 200 200");
}

TEST(Tiers, AnUnknownOrMissingOneIsTheDefault) {
  Proxy proxy(plans());
  RawClient client = proxy.client();
  EXPECT_EQ(in_a_row(client, 3, with_claims({{"org", "a"}, {"plan", "platinum"}})), "200 200 429");
  EXPECT_EQ(in_a_row(client, 3, with_claims({{"org", "b"}})), "200 200 429");
}

TEST(Tiers, ACallerThatChangesTierKeepsWhatItUsed) {
  Proxy proxy(plans());
  RawClient client = proxy.client();
  const Message pro = client.get("/", with_claims({{"org", "a"}, {"plan", "pro"}}));
  EXPECT_EQ(pro.status(), 200);
  EXPECT_EQ(pro.value("RateLimit-Policy"), R"("plan-4/minute";q=4;w=60, "plan-5/day";q=5;w=86400)");
  EXPECT_EQ(in_a_row(client, 3, with_claims({{"org", "a"}, {"plan", "pro"}})), "200 200 200");
  EXPECT_EQ(in_a_row(client, 1, with_claims({{"org", "a"}, {"plan", "pro"}})), "429");
}

TEST(Tiers, AHeaderNamesOneOnlyThroughATrustedHop) {
  Json limits = {{"plan",
                  {{"per", "client_ip"},
                   {"tier_from", "header:X-Plan"},
                   {"tiers", {{"small", {{"rate", "1/day"}}}, {"big", {{"rate", "3/day"}}}}},
                   {"default_tier", "small"}}}};
  Json changes = {{"limits", limits}, {"all_routes", {{"limits", {"plan"}}}}};
  {
    Proxy proxy(changes);
    RawClient client = proxy.client();
    EXPECT_EQ(in_a_row(client, 2, "X-Plan: big\r\n"), "200 429") << "anybody can write a header";
  }
  changes["identity"] = {{"trusted_proxies", {"127.0.0.1"}}};
  Proxy proxy(changes);
  RawClient client = proxy.client();
  const std::string hop = "X-Forwarded-For: 203.0.113.7\r\n";
  EXPECT_EQ(in_a_row(client, 4, hop + "X-Plan: big\r\n"), "200 200 200 429");
}

TEST(Tiers, AnApiKeysRecordNamesOneAndAnUnknownKeyIsAnonymous) {
  const Json keys = {{"acme", {{"key", "acme-key-0123456789abcdef"}, {"tier", "big"}}}};
  Json changes = {{"identity", {{"api_key", {{"header", "X-API-Key"}, {"keys", keys}}}}},
                  {"limits",
                   {{"plan",
                     {{"per", "api_key"},
                      {"if_absent", "client_ip"},
                      {"tier_from", "api_key"},
                      {"tiers", {{"small", {{"rate", "1/day"}}}, {"big", {{"rate", "3/day"}}}}},
                      {"default_tier", "small"}}}}},
                  {"all_routes", {{"limits", {"plan"}}}}};
  Proxy proxy(changes);
  RawClient client = proxy.client();
  EXPECT_EQ(in_a_row(client, 4, "X-API-Key: acme-key-0123456789abcdef\r\n"), "200 200 200 429");
  EXPECT_EQ(in_a_row(client, 2, "X-API-Key: a-key-nobody-was-ever-given\r\n"), "200 429") << "its address's";
  EXPECT_EQ(in_a_row(client, 1, "X-API-Key: another-nobody-was-ever-given\r\n"), "429");
}

TEST(Scale, ARouteHasItsOwnCounters) {
  Json changes = {{"limits", {{"plan", {{"rate", "20/day"}, {"per", "client_ip"}}}}}};
  changes["routes"] = Json::array({{{"path", "/ai"},
                                    {"name", "ai"},
                                    {"to", "app"},
                                    {"limits", Json::array({{{"use", "plan"}, {"scale", "1/10"}}})}},
                                   {{"path", "/*"}, {"to", "app"}, {"limits", {"plan"}}}});
  Proxy proxy(changes);
  RawClient client = proxy.client();
  EXPECT_EQ(in_a_row(client, 3, "", "/ai"), "200 200 429");
  EXPECT_EQ(client.get("/").value("X-RateLimit-Remaining"), "19") << "counted apart";
}

Json one_limit(const Json& use, const std::string& rate = "10/day") {
  return {{"limits", {{"x", {{"rate", rate}, {"per", "client_ip"}}}}},
          {"routes", Json::array({{{"path", "/*"}, {"to", "app"}, {"limits", Json::array({use})}}})}};
}

TEST(Costs, AreByMethodIfTheRouteSaysSo) {
  Proxy proxy(one_limit({{"use", "x"}, {"cost", {{"by_method", {{"POST", 5}, {"HEAD", 0}}}, {"otherwise", 1}}}}));
  RawClient client = proxy.client();
  EXPECT_EQ(client.get().value("X-RateLimit-Remaining"), "9");
  EXPECT_EQ(client.ask(request_with_body("POST", "/", "x")).value("X-RateLimit-Remaining"), "4");
  EXPECT_EQ(client.ask(request("HEAD", "/"), Kind::answer_to_head).value("X-RateLimit-Remaining"), "4") << "costs 0";
  EXPECT_EQ(client.ask(request_with_body("POST", "/", "x")).status(), 429);
  EXPECT_EQ(proxy.client().get().value("X-RateLimit-Remaining"), "3") << "the rejected one cost nothing";
}

TEST(Costs, AreWhatAHeaderOfTheRequestSaysUpToABound) {
  Proxy proxy(one_limit({{"use", "x"}, {"cost", {{"header", "X-Cost"}, {"otherwise", 2}, {"most", 5}}}}, "20/day"));
  RawClient client = proxy.client();
  const auto left = [&](const std::string& fields) { return client.get("/", fields).value("X-RateLimit-Remaining"); };
  EXPECT_EQ(left("X-Cost: 3\r\n"), "17");
  EXPECT_EQ(left(""), "15") << "says nothing: what it otherwise costs";
  EXPECT_EQ(left("X-Cost: many\r\n"), "13");
  EXPECT_EQ(left("X-Cost: -4\r\n"), "11");
  EXPECT_EQ(left("X-Cost: 99999999999999999999\r\n"), "6") << "no more than the bound";
  EXPECT_EQ(client.get("/", "X-Cost: 1\r\nX-Cost: 2\r\n").status(), 400) << "two readers could believe two costs";
}

Json settled() {
  return one_limit({{"use", "x"}, {"cost", {{"response_header", "X-Used"}, {"hold", 4}, {"most", 100}}}}, "20/day");
}

TEST(Settling, ChargesWhatTheAnswerSays) {
  Proxy proxy(settled());
  RawClient client = proxy.client();
  EXPECT_EQ(client.get("/", "X-Test-Field: X-Used: 1\r\n").value("X-RateLimit-Remaining"), "19") << "held: 4";
  EXPECT_EQ(client.get("/", "X-Test-Field: X-Used: 6\r\n").value("X-RateLimit-Remaining"), "13");
  EXPECT_EQ(client.get("/", "X-Test-Field: X-Used: 0\r\n").value("X-RateLimit-Remaining"), "13");
  EXPECT_EQ(client.get("/").value("X-RateLimit-Remaining"), "9") << "an answer that says nothing costs what was held";
  EXPECT_EQ(client.get("/", "X-Test-Status: 500\r\n").value("X-RateLimit-Remaining"), "9") << "a failure nothing";
}

TEST(Settling, TellsTheLimitThatBindsOnceTheCostIsKnown) {
  Json use = {{"use", "x"}, {"cost", {{"response_header", "X-Used"}, {"hold", 18}, {"most", 100}}}};
  Json changes = one_limit(use, "20/day");
  changes["limits"]["y"] = {{"rate", "10/day"}, {"per", "client_ip"}};
  changes["routes"][0]["limits"].push_back("y");
  Proxy proxy(changes);
  const Message told = proxy.client().get("/", "X-Test-Field: X-Used: 1\r\n");
  EXPECT_EQ(told.value("X-RateLimit-Limit"), "10") << "2 of 20 are less than 9 of 10, and 19 are not";
  EXPECT_EQ(told.value("X-RateLimit-Remaining"), "9");
}

TEST(Settling, LogsAndCountsACostThatIsNoNumber) {
  Json changes = settled();
  changes["log"] = {{"format", "json"}, {"access", "stderr"}};
  changes["admin"] = {{"listen", "127.0.0.1:0"}};
  Proxy proxy(changes);
  RawClient client = proxy.client();
  EXPECT_EQ(client.get("/", "X-Test-Field: X-Used: abc\r\n").value("X-RateLimit-Remaining"), "16") << "held: 4";
  EXPECT_EQ(client.get("/", "X-Test-Field: X-Used: -5\r\n").value("X-RateLimit-Remaining"), "12");
  EXPECT_EQ(client.get("/", "X-Test-Field: X-Used: 1.5\r\n").value("X-RateLimit-Remaining"), "8");
  EXPECT_TRUE(proxy.gateway.process().wait_for_err([](const std::string& log) {
    return log.find("the answer's cost in x-used is no number: 1.5") != std::string::npos;
  }));
  const Look look(proxy.gateway.process());
  EXPECT_TRUE(look.comes_to(
      [](const MetricsText& now) { return now.value(R"(headgate_limit_unreadable_costs_total{limit="x"})") == 3; }));
}

TEST(CountedAnswers, AreTheOnlyOnesThatUsePermits) {
  Json changes = one_limit("x", "3/day");
  changes["limits"]["x"]["count"] = {{"status", {401, 403}}};
  Proxy proxy(changes);
  RawClient client = proxy.client();
  const auto answer = [&](const std::string& status) {
    const Message told = client.get("/", "X-Test-Status: " + status + "\r\n");
    return std::to_string(told.status()) + " " + told.value("X-RateLimit-Remaining");
  };
  for (int i = 0; i < 5; ++i) EXPECT_EQ(answer("200"), "200 3");
  EXPECT_EQ(answer("401"), "401 2");
  EXPECT_EQ(answer("404"), "404 2");
  EXPECT_EQ(answer("500"), "500 2");
  EXPECT_EQ(answer("403"), "403 1");
  EXPECT_EQ(answer("401"), "401 0");
  EXPECT_EQ(answer("200"), "429 0") << "the gateway cannot know that this one would succeed";
}

TEST(Windows, EndInTheSecondThatTheirAnswersTell) {
  Json changes = one_limit("x", "5/minute");
  changes["limits"]["x"]["algorithm"] = "fixed_window";
  Proxy proxy(changes);
  RawClient client = proxy.client();
  for (int i = 0; i < 12; ++i) EXPECT_EQ(std::stoll(client.get().value("X-RateLimit-Reset")) % 60, 0) << i;
}

Json owing(const std::string& rate) {
  return one_limit(
      {{"use", "x"}, {"cost", {{"response_header", "X-Used"}, {"hold", 1}, {"most", 1000}, {"debt", true}}}}, rate);
}

TEST(Debts, ArePaidBackBeforeAnythingIsAllowedAgain) {
  Proxy proxy(owing("10/hour"));
  RawClient client = proxy.client();
  EXPECT_EQ(client.get("/", "X-Test-Field: X-Used: 25\r\n").value("X-RateLimit-Remaining"), "0");
  const Message rejected = client.get("/");
  EXPECT_EQ(rejected.status(), 429);
  EXPECT_GT(std::stoi(rejected.value("Retry-After")), 15 * 360) << "fifteen too many, six minutes each, and one more";
  EXPECT_LE(std::stoi(rejected.value("Retry-After")), 16 * 360);
}

TEST(Settling, EmptiesTheLimitIfTheAnswerUsedMoreThanWasLeft) {
  Proxy proxy(settled());
  RawClient client = proxy.client();
  EXPECT_EQ(client.get("/", "X-Test-Field: X-Used: 90\r\n").status(), 200);
  EXPECT_EQ(client.get("/").status(), 429) << "all of it is used, and nothing beyond";
}

TEST(Settling, GivesBackWhatAFailureHeld) {
  Proxy proxy(settled());
  RawClient client = proxy.client();
  EXPECT_EQ(client.get("/", "X-Test-Reset: 1\r\n").status(), 502);
  EXPECT_EQ(client.get("/", "X-Test-Status: 503\r\n").value("X-RateLimit-Remaining"), "20") << "and says so";
  EXPECT_EQ(client.get("/").value("X-RateLimit-Remaining"), "16") << "both gave back";
}

TEST(Settling, GivesNothingBackToAClientThatLeavesWhileTheServerWorks) {
  Json changes = settled();
  changes["log"] = {{"format", "json"}, {"access", "stderr"}};
  Proxy proxy(changes);
  {
    RawClient leaver = proxy.client();
    ASSERT_TRUE(leaver.send(request("GET", "/", "X-Test-Hold: 1\r\n")));
    ASSERT_TRUE(proxy.upstream.wait_for_requests(1));
    leaver.socket().reset();
  }
  ASSERT_TRUE(proxy.gateway.process().wait_for_err(
      [](const std::string& log) { return log.find(R"("ended_by":"client_closed")") != std::string::npos; }));
  proxy.upstream.release();
  EXPECT_EQ(proxy.client().get("/").value("X-RateLimit-Remaining"), "12") << "twenty, less two holds of four";
}

TEST(Settling, ChargesTheCostOfTheHeadEvenIfTheBodyBreaksOff) {
  Proxy proxy(settled());
  const Message cut = proxy.client().get("/", "X-Test-Field: X-Used: 9\r\nX-Test-Bytes: 1000\r\nX-Test-Cut: 1\r\n");
  EXPECT_FALSE(cut.ok());
  EXPECT_EQ(proxy.client().get("/").value("X-RateLimit-Remaining"), "7");
}

TEST(Costs, InAHeaderAreBelievedOnlyFromTrustedHopsIfThereAreAny) {
  Json changes = one_limit({{"use", "x"}, {"cost", {{"header", "X-Cost"}, {"otherwise", 2}, {"most", 5}}}}, "20/day");
  changes["identity"] = {{"trusted_proxies", {"10.0.0.0/8"}}};
  Proxy proxy(changes);
  EXPECT_EQ(proxy.client().get("/", "X-Cost: 0\r\n").value("X-RateLimit-Remaining"), "18");
}

TEST(Exemptions, AreOfAddressesAndOfKnownKeys) {
  Json changes = {
      {"identity",
       {{"trusted_proxies", {"127.0.0.1"}},
        {"api_key", {{"header", "X-API-Key"}, {"keys", {{"batch", {{"key", "batch-key-0123456789abcdef"}}}}}}}}},
      {"limits",
       {{"x",
         {{"rate", "1/day"},
          {"per", "client_ip"},
          {"exempt", {{"api_key", {"batch"}}, {"client_ip", {"10.9.0.0/16", "::1"}}}}}}}},
      {"all_routes", {{"limits", {"x"}}}}};
  Proxy proxy(changes);
  RawClient client = proxy.client();
  EXPECT_EQ(in_a_row(client, 3, "X-Forwarded-For: 10.9.1.2\r\n"), "200 200 200");
  EXPECT_EQ(in_a_row(client, 3, "X-API-Key: batch-key-0123456789abcdef\r\n"), "200 200 200");
  EXPECT_EQ(in_a_row(client, 2, "X-Forwarded-For: 10.8.1.2\r\n"), "200 429");
  EXPECT_EQ(in_a_row(client, 2, "X-API-Key: batch\r\n"), "200 429") << "a name is not a key";
}

TEST(ObserveMode, RejectNobodyAndAreLogged) {
  Json changes = {{"limits",
                   {{"hard", {{"rate", "3/day"}, {"per", "client_ip"}}},
                    {"trial", {{"rate", "1/day"}, {"per", "client_ip"}, {"mode", "observe"}}}}},
                  {"all_routes", {{"limits", {"trial", "hard"}}}},
                  {"log", {{"format", "json"}, {"access", "stderr"}}}};
  Proxy proxy(changes);
  RawClient client = proxy.client();
  EXPECT_EQ(in_a_row(client, 4), "200 200 200 429");
  EXPECT_TRUE(proxy.gateway.process().wait_for_err([](const std::string& text) {
    return text.find(R"("limit":"trial")") != std::string::npos &&
           text.find(R"("decision":"observed")") != std::string::npos;
  }));
}

}  // namespace
}  // namespace headgate::test
