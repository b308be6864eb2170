// What is left of a caller's limits, told to the caller: equal to the next decision, and free.

#include "unit/gateway/path/path.hpp"

#include "headgate/identity/api_keys.hpp"
#include "headgate/identity/sha256.hpp"

#include <nlohmann/json.hpp>

#include <random>

namespace headgate::gateway::test {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

class PathUsage : public Path {
 protected:
  PathUsage() {
    other_redis = stored;
    options.usage = "/.headgate/usage";
  }

  limit::Limit& add(std::vector<limit::Per> per, const std::string& name, const std::vector<std::string>& rates,
                    limit::Store store = limit::Store::memory, std::string_view algorithm = "token_bucket") {
    auto& limit = limits.emplace_back();
    limit.name = name;
    limit.per = std::move(per);
    limit.store = store;
    limit.tiers.emplace_back();
    for (const auto& rate : rates) {
      auto rule = headgate::test::make_rule(rate, 0, name, algorithm);
      limit::name_rule(rule, rates.size() > 1, limit::PeriodInKey::no);
      limit.tiers.back().rules.push_back(std::move(rule));
    }
    route.limits.emplace_back().limit = name;
    return limit;
  }
  void know_key(const std::string& key, const std::string& owner) {
    identity.api_key.written = true;
    identity::ApiKeyRecord record;
    record.owner = owner;
    record.digest = identity::sha256(key);
    identity.api_key.known.push_back(std::move(record));
  }
  void send(std::string_view start_line, std::string_view fields = {}) {
    if (started_)
      ask_again(start_line, fields);
    else
      check(start_line, fields);
    started_ = true;
    while (!done) clock.advance(milliseconds(10));
  }
  nlohmann::json usage(const std::string& query = {}, std::string_view fields = {}) {
    send("GET /.headgate/usage" + query, fields);
    return client.status == 200 ? nlohmann::json::parse(client.body) : nlohmann::json();
  }
  static nlohmann::json row(const nlohmann::json& usage, std::string_view name) {
    for (const auto& each : usage.at("limits"))
      if (each.at("name") == name) return each;
    return {};
  }
  std::vector<std::string> names(const nlohmann::json& usage) {
    std::vector<std::string> out;
    for (const auto& each : usage.at("limits")) out.push_back(each.at("name"));
    return out;
  }

  std::shared_ptr<StoredRedis> stored = std::make_shared<StoredRedis>(clock, trace);

 private:
  bool started_ = false;
};

TEST_F(PathUsage, SaysWhichLimitsCountTokens) {
  auto& tokens = add({headgate::test::make_per("client_ip")}, "tokens", {"1000/minute"});
  tokens.unit = limit::Unit::token;
  tokens.tiers.back().rules.back().unit = limit::Unit::token;
  add({headgate::test::make_per("client_ip")}, "calls", {"10/minute"});
  const auto told = usage();
  EXPECT_EQ(row(told, "tokens").at("unit"), "token");
  EXPECT_EQ(row(told, "tokens").at("rate"), "1000 tokens/minute");
  EXPECT_FALSE(row(told, "calls").contains("unit"));
}

TEST_F(PathUsage, TellsWhatIsLeftAndTakesNothing) {
  using headgate::test::make_per;
  add({make_per("client_ip")}, "per-ip", {"10/minute"});
  send("GET /a");
  send("GET /a");
  send("GET /a");
  for (int i = 0; i < 3; ++i) {
    const auto told = usage();
    EXPECT_EQ(client.fields["Content-Type"], "application/json");
    EXPECT_EQ(client.fields["Cache-Control"], "no-store");
    ASSERT_EQ(told.at("limits").size(), 1U);
    EXPECT_EQ(told["limits"][0], nlohmann::json::parse(R"({ "name": "per-ip", "rate": "10/minute", "limit": 10,
      "used": 3, "remaining": 7, "reset": 18, "cost": 1, "allowed": true })"));
  }
  EXPECT_EQ(x.ended_by, EndedBy::respond);
  for (int i = 0; i < 7; ++i) send("GET /a");
  EXPECT_EQ(client.status, 200U);
  const auto spent = row(usage(), "per-ip");
  EXPECT_EQ(spent["remaining"], 0);
  EXPECT_EQ(spent["allowed"], false);
  EXPECT_EQ(spent["retry_after"], 6);
}

TEST_F(PathUsage, FollowsTheRulesOfAllRoutesForPagesOfOtherOrigins) {
  Cors rules;
  rules.origins = {"https://app.example.com"};
  rules.credentials = true;
  rules.headers = kUsualHeaders;
  rules.max_age = "600";
  options.all_routes.cors = std::make_shared<const Cors>(rules);
  const std::string page = "Origin: https://app.example.com\r\n";
  const auto told = usage({}, page);
  EXPECT_TRUE(told.contains("limits"));
  EXPECT_EQ(client.fields["Access-Control-Allow-Origin"], "https://app.example.com");
  EXPECT_EQ(client.fields["Access-Control-Allow-Credentials"], "true");
  send("OPTIONS /.headgate/usage", page + "Access-Control-Request-Method: GET\r\n");
  EXPECT_EQ(client.status, 204U);
  EXPECT_EQ(x.ended_by, EndedBy::preflight);
  EXPECT_EQ(client.fields["Access-Control-Allow-Origin"], "https://app.example.com");
  EXPECT_EQ(client.fields["Access-Control-Allow-Methods"], "GET, HEAD");
  send("OPTIONS /.headgate/usage", page + "Access-Control-Request-Method: PUT\r\n");
  EXPECT_EQ(client.status, 405U);
  EXPECT_EQ(client.fields["Access-Control-Allow-Origin"], "https://app.example.com") << "the page may read why";
  send("OPTIONS /.headgate/usage", "Origin: https://evil.com\r\nAccess-Control-Request-Method: GET\r\n");
  EXPECT_EQ(client.status, 403U);
}

TEST_F(PathUsage, IsExplainedLikeAnyOtherRequest) {
  believe_tokens();
  unsigned last = 0;
  for (int i = 0; i < 60; ++i) {
    const std::string fields = i % 2 == 0 ? "" : "Authorization: Bearer bad\r\n";
    const auto told = explain("GET /.headgate/usage", fields);
    send("GET /.headgate/usage", fields);
    EXPECT_EQ(told.status, client.status) << i;
    EXPECT_EQ(told.retry_after == 0 ? "" : std::to_string(told.retry_after), client.fields["Retry-After"]) << i;
    if (i < 2) {
      EXPECT_EQ(client.status, i == 0 ? 200U : 401U);
    }
    last = client.status;
  }
  EXPECT_EQ(last, 429U);
}

TEST_F(PathUsage, RefusesAMethodThatNoRequestMayHave) {
  for (const auto& [method, status] : std::map<std::string, unsigned>{
           {"get", 400}, {"Post", 400}, {"CONNECT", 501}, {"GET", 200}, {"BREW", 200}, {"brew", 200}}) {
    send("GET /.headgate/usage?path=/two&method=" + method);
    EXPECT_EQ(client.status, status) << method;
  }
}

TEST_F(PathUsage, EqualsTheNextDecisionInRandomHistories) {
  using headgate::test::make_per;
  believe_tokens();
  know_key("one", "acme");
  add({make_per("client_ip")}, "flood", {"4/second"}, limit::Store::memory, "sliding_window");
  add({make_per("jwt.sub")}, "plan", {"2/second", "12/10s"}, limit::Store::redis, "fixed_window").if_absent.last =
      limit::IfAbsent::Last::skip;
  auto& partner = add({make_per("api_key")}, "partner", {"2/second"}, limit::Store::redis);
  partner.if_absent.instead = {{make_per("client_ip")}};
  route.limits.back().cost.from = find_cost_source("by_method");
  route.limits.back().cost.methods = {{"POST", 2}};
  add({make_per("jwt.sub"), make_per("route")}, "each", {"1/second"}, limit::Store::memory, "sliding_log")
      .if_absent.last = limit::IfAbsent::Last::skip;
  std::mt19937_64 random(20261123);
  const auto any = [&](const std::vector<std::string>& of) { return of[random() % of.size()]; };
  int rejected = 0;
  for (int step = 0; step < 1'000; ++step) {
    clock.advance(Duration(random() % 700'000));
    const auto method = any({"GET", "POST"});
    const auto fields =
        any({"", "Authorization: Bearer alice\r\n", "Authorization: Bearer bob\r\n"}) + any({"", "X-API-Key: one\r\n"});
    const auto keys = memory.store().keys() + stored->store().keys();
    const auto told = usage("?path=/a%2Fb&method=" + method, fields);
    ASSERT_EQ(client.status, 200U) << client.body;
    EXPECT_LE(memory.store().keys() + stored->store().keys(), keys + 2) << "those of the bound and of failed attempts";
    send(method + " /a/b", fields);
    ASSERT_EQ(told["allowed"], client.status == 200) << step;
    rejected += client.status == 429 ? 1 : 0;
    if (client.status == 429) {
      ASSERT_EQ(std::to_string(told["retry_after"].get<int>()), client.fields["Retry-After"]);
      ASSERT_EQ(told["by"], x.problem_limit);
      continue;
    }
    const auto bound = row(told, x.admission.binding->route_limit->limit->name);
    const auto& label = x.admission.binding_rule().name;
    for (const auto& each : told["limits"]) {
      if (each["name"] != bound["name"] || (!label.empty() && each["rate"] != label)) continue;
      ASSERT_EQ(std::to_string(each["remaining"].get<int>() - each["cost"].get<int>()),
                client.fields["X-RateLimit-Remaining"])
          << step;
      ASSERT_EQ(each["used"].get<int>() + each["remaining"].get<int>(), each["limit"].get<int>());
    }
  }
  EXPECT_GT(rejected, 200);
}

TEST_F(PathUsage, WithoutAPathTellsTheLimitsOfTheCallersOwnKeys) {
  using headgate::test::make_per;
  believe_tokens();
  add({make_per("client_ip")}, "per-ip", {"10/minute"});
  add({make_per("jwt.sub")}, "plan", {"5/minute", "60/hour"}).if_absent.last = limit::IfAbsent::Last::skip;
  add({make_per("total")}, "platform", {"1000/minute"});
  add({make_per("header:x-tenant")}, "tenant", {"10/minute"}).if_absent.last = limit::IfAbsent::Last::skip;
  add({make_per("client_ip"), make_per("route")}, "each-route", {"10/minute"});
  add({make_per("client_ip")}, "trial", {"10/minute"}).mode = limit::Mode::observe;
  EXPECT_THAT(names(usage("", "X-Tenant: other\r\n")), ElementsAre("per-ip")) << "no field says who somebody is";
  EXPECT_THAT(names(usage("", "Authorization: Bearer alice\r\n")), ElementsAre("per-ip", "plan", "plan"));
  EXPECT_THAT(names(usage("?path=/a", "X-Tenant: other\r\n")), ElementsAre("per-ip", "each-route"))
      << "what is left for everybody together concerns nobody alone";
}

TEST_F(PathUsage, AnswersACredentialThatIsNotValidAsAnyRequestDoes) {
  believe_tokens();
  know_key("one", "acme");
  in_memory("per-ip", "10/minute");
  usage("", "Authorization: Bearer bad\r\n");
  EXPECT_EQ(client.status, 401U);
  EXPECT_EQ(client.fields["WWW-Authenticate"], R"(Bearer error="invalid_token")");
  usage("", "X-API-Key: guess\r\n");
  EXPECT_EQ(client.status, 401U);
  usage("", "X-API-Key: one\r\n");
  EXPECT_EQ(client.status, 200U);
}

TEST_F(PathUsage, ChargesFailedAttemptsSoThatNobodyGuessesHere) {
  believe_tokens();
  know_key("one", "acme");
  identity.failures = identity::FailureLimit{.rate = {2, std::chrono::hours(1)}, .burst = 2};
  usage("", "X-API-Key: guess\r\n");
  usage("", "X-API-Key: guess\r\n");
  usage("", "X-API-Key: guess\r\n");
  EXPECT_EQ(client.status, 429U);
  EXPECT_THAT(client.body, HasSubstr("failed-authentication"));
}

TEST_F(PathUsage, AnswersAboutAPathAsARequestToItWouldBeAnswered) {
  believe_tokens();
  route.path = "/v1/*";
  route.require = Require::jwt;
  route.methods = {"GET"};
  in_memory("per-ip", "10/minute");
  usage("?path=/v1/a");
  EXPECT_EQ(client.status, 401U);
  EXPECT_EQ(client.fields["WWW-Authenticate"], "Bearer");
  usage("?path=/other");
  EXPECT_EQ(client.status, 404U);
  usage("?path=/v1/a&method=DELETE", "Authorization: Bearer alice\r\n");
  EXPECT_EQ(client.status, 405U);
  EXPECT_EQ(client.fields["Allow"], "GET");
  usage("?path=/v1/%25zz");
  EXPECT_EQ(client.status, 400U);
  usage("?path=a");
  EXPECT_EQ(client.status, 400U);
  usage("?path=/v1/a%0d%0aX:y");
  EXPECT_EQ(client.status, 400U);
  usage("?path=/v1/a&path=/v1/b");
  EXPECT_EQ(client.status, 400U);
  usage("?path=/v1/a%3Fb=c&method=GET", "Authorization: Bearer alice\r\n");
  EXPECT_EQ(client.status, 200U);
  usage("?path=/.headgate/usage");
  EXPECT_EQ(client.status, 200U);
  for (const auto& each : memory.store().keys_by_limit()) EXPECT_NE(each.limit, "per-ip") << "nothing was charged";
}

TEST_F(PathUsage, IsItselfLimited) {
  in_memory("per-ip", "10/minute");
  for (std::uint64_t i = 0; i < kUsageBurst; ++i) {
    usage();
    ASSERT_EQ(client.status, 200U);
  }
  usage();
  EXPECT_EQ(client.status, 429U);
  EXPECT_EQ(client.fields["Retry-After"], "1");
  EXPECT_THAT(trace.lines, Not(Contains(HasSubstr("peek"))));
}

TEST_F(PathUsage, IsOnlyAnsweredToGetAndHeadWithoutABody) {
  in_memory("per-ip", "10/minute");
  send("POST /.headgate/usage");
  EXPECT_EQ(client.status, 405U);
  EXPECT_EQ(client.fields["Allow"], "GET, HEAD");
  send("HEAD /.headgate/usage");
  EXPECT_EQ(client.status, 200U);
  EXPECT_EQ(client.body, "");
  send("GET /.headgate/usage/");
  EXPECT_THAT(trace.lines, Contains("connect")) << "another path";
}

TEST_F(PathUsage, IsNotThereUnlessItIsConfigured) {
  options.usage.clear();
  in_memory("per-ip", "10/minute");
  send("GET /.headgate/usage");
  EXPECT_THAT(trace.lines, Contains("connect"));
}

TEST_F(PathUsage, TellsASuspendedCallerSo) {
  in_memory("abuse", "1/hour");
  auto& policy = limits.back().ban.emplace();
  policy.offences = headgate::test::make_rule("1/minute", 0, "abuse", "sliding_log");
  policy.first = policy.longest = seconds(60);
  send("GET /a");
  send("GET /a");
  send("GET /a");
  ASSERT_EQ(x.ended_by, EndedBy::ban);
  const auto told = usage("?path=/a");
  EXPECT_EQ(told["allowed"], false);
  EXPECT_EQ(told["ended_by"], "ban");
  EXPECT_EQ(told["retry_after"], 60);
}

}  // namespace
}  // namespace headgate::gateway::test
