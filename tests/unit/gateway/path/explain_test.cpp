// What the gateway says would happen to a request: what then happens, and nothing is taken for the answer.

#include "unit/gateway/path/path.hpp"

#include "headgate/identity/api_keys.hpp"
#include "headgate/identity/sha256.hpp"

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
using testing::Pair;
using testing::StartsWith;

class PathExplain : public Path {
 protected:
  PathExplain() { other_redis = stored; }

  limit::Limit& add(std::vector<limit::Per> per, const std::string& name, const std::vector<std::string>& rates,
                    limit::Store store, std::string_view algorithm = "token_bucket") {
    auto& limit = limits.emplace_back();
    limit.name = name;
    limit.per = std::move(per);
    limit.store = store;
    for (const auto& rate : rates) {
      auto& rules = limit.tiers.empty() ? limit.tiers.emplace_back().rules : limit.tiers.back().rules;
      auto rule = headgate::test::make_rule(rate, 0, name, algorithm);
      limit::name_rule(rule, rates.size() > 1, limit::PeriodInKey::no);
      rules.push_back(std::move(rule));
    }
    return limit;
  }
  RouteOptions& add_route(const std::string& name, const std::string& path, const std::vector<std::string>& uses) {
    auto& made = options.routes.emplace_back();
    made.name = name;
    made.path = path;
    made.to = "app";
    for (const auto& use : uses) made.limits.emplace_back().limit = use;
    return made;
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
  std::string field(const std::string& name) {
    const auto at = client.fields.find(name);
    return at == client.fields.end() ? std::string() : at->second;
  }
  const LimitState& state_of(const Explanation& told, std::string_view limit) {
    for (const auto& state : told.limits)
      if (state.name == limit) return state;
    throw std::logic_error("no limit " + std::string(limit));
  }

  std::shared_ptr<StoredRedis> stored = std::make_shared<StoredRedis>(clock, trace);

 private:
  bool started_ = false;
};

TEST_F(PathExplain, TellsWhatThenHappensInRandomHistories) {
  believe_tokens();
  identity.failures = identity::FailureLimit{.rate = {20, seconds(60)}, .burst = 20};
  know_key("one", "acme");
  know_key("two", "globex");
  using headgate::test::make_per;
  add({make_per("client_ip")}, "flood", {"9/second"}, limit::Store::memory);
  add({make_per("header:x-tenant")}, "tenant", {"4/second"}, limit::Store::memory, "sliding_window").if_absent.last =
      limit::IfAbsent::Last::skip;
  add({make_per("jwt.sub")}, "proof", {"5/second"}, limit::Store::memory, "sliding_log");
  add({make_per("jwt.sub")}, "plan", {"6/second", "30/10s"}, limit::Store::redis, "fixed_window");
  add({make_per("client_ip"), make_per("route")}, "trial", {"2/second"}, limit::Store::redis).mode =
      limit::Mode::observe;
  auto& partner = add({make_per("api_key")}, "partner", {"3/second"}, limit::Store::redis);
  partner.if_absent.instead = {{make_per("client_ip")}};
  auto& abuse = add({make_per("client_ip")}, "abuse", {"4/10s"}, limit::Store::memory);
  auto& policy = abuse.ban.emplace();
  policy.offences = headgate::test::make_rule("3/minute", 0, "abuse", "sliding_log");
  policy.first = policy.longest = seconds(3);
  options.all_routes.limits.emplace_back().limit = "flood";
  add_route("account", "/account/*", {"proof", "plan"}).require = Require::jwt;
  add_route("partners", "/partners/{id}", {"partner", "trial"}).unknown_key = UnknownKey::reject;
  add_route("post", "/post", {"tenant", "plan"}).methods = {"POST"};
  options.routes.back().limits.back().cost.default_value = 4;
  add_route("costly", "/costly", {"tenant", "abuse"}).max_body = 10;
  add_route("fixed", "/fixed", {"trial"}).respond = Respond{.status = 203, .body = "here"};
  options.routes.back().to.clear();
  route.path = "/things/*";
  route.limits.emplace_back().limit = "tenant";

  std::mt19937_64 random(20261123);
  const auto any = [&](const std::vector<std::string>& of) { return of[random() % of.size()]; };
  std::map<std::string, int> ends;
  for (int step = 0; step < 2'000; ++step) {
    clock.advance(Duration(random() % 150'000));
    stored->away = step / 150 % 5 == 4;
    const auto line =
        any({"GET", "GET", "POST", "DELETE"}) + " " +
        any({"/account/a", "/account/b", "/partners/7", "/post", "/costly", "/fixed", "/things/x", "/no"});
    const auto fields = any({"", "Authorization: Bearer alice\r\n", "Authorization: Bearer bob\r\n",
                             "Authorization: Bearer alice\r\n", "Authorization: Bearer bad\r\n"}) +
                        any({"", "X-API-Key: one\r\n", "X-API-Key: two\r\n", "X-API-Key: wrong\r\n"}) +
                        any({"", "X-Tenant: t1\r\n", "X-Tenant: t2\r\n", "X-Tenant: t1\r\nX-Tenant: t2\r\n"});
    trace.lines.clear();
    const auto keys = memory.store().keys() + stored->store().keys();
    const bool suspended = !bans.list(clock.wall()).empty();
    const auto told = explain(line, fields);
    // What is owed to Redis after an outage is charged first, as before each check.
    EXPECT_THAT(trace.lines, Each(testing::ContainsRegex("^peek |^token |^give-back |^charge |^memory [a-z]+ 0$")));
    EXPECT_EQ(memory.store().keys() + stored->store().keys(), keys);
    send(line, fields);
    ++ends[told.ended_by];
    ASSERT_EQ(told.ended_by, to_text(x.ended_by)) << line << '\n' << fields << step;
    ASSERT_EQ(told.status, x.ended_by == EndedBy::upstream ? 0 : client.status) << line << '\n' << fields;
    ASSERT_EQ(told.retry_after == 0 ? "" : std::to_string(told.retry_after), field("Retry-After")) << step;
    ASSERT_EQ(told.limit, x.problem_limit);
    ASSERT_EQ(told.route, x.route ? x.route->name : "");
    ASSERT_EQ(told.binding.empty() ? "" : std::to_string(told.remaining), field("X-RateLimit-Remaining"))
        << line << '\n'
        << fields << step;
    ASSERT_EQ(told.binding.empty() ? "" : std::to_string(told.most), field("X-RateLimit-Limit"));
    if (told.ended_by != "limit" || told.limits.empty() || told.limit == kFailureLimit) continue;
    const auto& state = state_of(told, told.limit);
    if (state.applies == LimitState::Applies::unknown) continue;
    Duration wait{0};
    for (const auto& rule : state.rules) wait = std::max(wait, rule.retry_after);
    if (!suspended && !bans.list(clock.wall()).empty()) {
      ++ends["suspends"];
      wait = std::max<Duration>(wait, policy.first);
    }
    EXPECT_EQ((wait.count() + 999'999) / 1'000'000, static_cast<std::int64_t>(told.retry_after)) << step;
  }
  EXPECT_GT(ends["suspends"], 10) << "which is told by the rejection that begins it";
  for (const char* end : {"upstream", "limit", "auth", "ban", "no_route", "respond", "bad_request"})
    EXPECT_GT(ends[end], 20) << end;
}

TEST_F(PathExplain, TellsWhatIsLeftOfEachLimit) {
  in_memory("flood", "10/second");
  in_redis("plan", "100/hour");
  route.limits.back().cost.default_value = 5;
  send("GET /a");
  send("GET /a");
  const auto told = explain("GET /a");
  EXPECT_EQ(told.status, 0U);
  EXPECT_EQ(told.upstream, "app");
  ASSERT_EQ(told.limits.size(), 2U);
  const auto& flood = told.limits[0];
  EXPECT_EQ(flood.name, "flood");
  EXPECT_EQ(flood.key, "192.0.2.7");
  EXPECT_EQ(flood.per, "client_ip");
  EXPECT_EQ(flood.source, Source::memory);
  ASSERT_EQ(flood.rules.size(), 1U);
  EXPECT_EQ(flood.rules[0].remaining, 8U);
  EXPECT_EQ(flood.rules[0].used(), 2U);
  const auto& plan = told.limits[1];
  EXPECT_EQ(plan.cost, 5);
  EXPECT_EQ(plan.source, Source::redis);
  EXPECT_EQ(plan.rules[0].remaining, 90U);
  EXPECT_EQ(plan.rules[0].rate, "100/hour");
  EXPECT_EQ(told.binding, "flood");
  EXPECT_EQ(told.remaining, 7U) << "after the request";
}

TEST_F(PathExplain, ChargesNoFailedAttemptAndRemembersNoToken) {
  with_proof("proof", "10/second");
  identity.failures = identity::FailureLimit{.rate = {2, std::chrono::hours(1)}, .burst = 2};
  route.require = Require::jwt;
  for (int i = 0; i < 10; ++i) {
    const auto told = explain("GET /a", "Authorization: Bearer bad\r\n");
    EXPECT_EQ(told.status, 401U);
    EXPECT_THAT(told.proofs, ElementsAre(Pair("jwt", "bad_signature")));
    EXPECT_EQ(told.challenge, R"(Bearer error="invalid_token")");
  }
  send("GET /a", "Authorization: Bearer bad\r\n");
  EXPECT_THAT(trace.lines, Contains("token bad")) << "it was not remembered as refused";
  const auto good = explain("GET /a", "Authorization: Bearer alice\r\n");
  EXPECT_EQ(good.subject, "alice");
  EXPECT_THAT(good.proofs, ElementsAre(Pair("jwt", "ok")));
}

TEST_F(PathExplain, ShowsNoValueOfAField) {
  route.limits.emplace_back().limit = "tenant";
  add({headgate::test::make_per("header:x-secret")}, "tenant", {"4/second"}, limit::Store::memory);
  const auto told = explain("GET /a", "X-Secret: hunter2\r\n");
  EXPECT_EQ(told.limits.front().key, "");
  EXPECT_THAT(told.limits.front().key_id, AllOf(StartsWith("k_"), Not(HasSubstr("hunter2"))));
}

TEST_F(PathExplain, TellsOfLimitsThatDoNotApply) {
  know_key("one", "acme");
  add({headgate::test::make_per("jwt.sub")}, "plan", {"4/second"}, limit::Store::memory).if_absent.last =
      limit::IfAbsent::Last::skip;
  add({headgate::test::make_per("client_ip")}, "flood", {"4/second"}, limit::Store::memory);
  add({headgate::test::make_per("header:x-tenant")}, "tenant", {"4/second"}, limit::Store::memory);
  options.exemptions.emplace_back().limit = "flood";
  options.exemptions.back().api_keys = {"acme"};
  for (const auto* name : {"plan", "flood", "tenant"}) route.limits.emplace_back().limit = name;
  const auto told = explain("GET /a", "X-API-Key: one\r\n");
  EXPECT_EQ(told.owner, "acme");
  EXPECT_EQ(told.status, 400U);
  EXPECT_EQ(told.limit, "tenant");
  EXPECT_EQ(state_of(told, "plan").applies, LimitState::Applies::skipped);
  EXPECT_EQ(state_of(told, "flood").applies, LimitState::Applies::exempt);
  EXPECT_EQ(state_of(told, "tenant").applies, LimitState::Applies::refused);
}

TEST_F(PathExplain, TellsWhatCannotBeParsed) {
  const auto told = explain("GET /a%zz");
  EXPECT_EQ(told.status, 400U);
  EXPECT_EQ(told.ended_by, "bad_request");
  EXPECT_THAT(told.limits, IsEmpty());
}

TEST_F(PathExplain, TellsWhatTheLastHopAnswers) {
  in_memory("flood", "100/second");
  for (const char* const method : {"OPTIONS", "TRACE", "GET"}) {
    for (const char* const hops : {"0", "1", "x", "0\r\nMax-Forwards: 0", "0\r\nMax-Forwards: 5"}) {
      const auto line = std::string(method) + " /a";
      const auto fields = "Max-Forwards: " + std::string(hops) + "\r\n";
      const auto told = explain(line, fields);
      send(line, fields);
      EXPECT_EQ(told.ended_by, to_text(x.ended_by)) << line << '\n' << fields;
      EXPECT_EQ(told.status, x.ended_by == EndedBy::upstream ? 0 : client.status) << line << '\n' << fields;
      EXPECT_EQ(told.most == 0 ? "" : std::to_string(told.remaining), field("X-RateLimit-Remaining")) << line << '\n'
                                                                                                      << fields;
    }
  }
}

TEST_F(PathExplain, TellsTheNumbersOfAnAnswerThatDoesNotCount) {
  believe_tokens();
  add({headgate::test::make_per("client_ip")}, "failures", {"4/hour"}, limit::Store::memory).counted_statuses = {401};
  add({headgate::test::make_per("client_ip")}, "all", {"100/hour"}, limit::Store::memory);
  add_route("fixed", "/fixed", {"failures", "all"}).respond = Respond{.status = 200, .body = "here"};
  options.routes.back().to.clear();
  add_route("denied", "/denied", {"failures", "all"}).respond = Respond{.status = 401, .body = "no"};
  options.routes.back().to.clear();
  add_route("account", "/account", {"failures", "all"}).require = Require::jwt;
  for (const char* const line :
       {"GET /fixed", "GET /denied", "GET /fixed", "GET /account", "GET /fixed", "GET /denied"}) {
    const auto told = explain(line);
    send(line);
    EXPECT_EQ(told.status, client.status) << line;
    EXPECT_EQ(std::to_string(told.remaining), field("X-RateLimit-Remaining")) << line;
    EXPECT_EQ(std::to_string(told.most), field("X-RateLimit-Limit")) << line;
  }
}

TEST_F(PathExplain, TellsTheSharesIfChanceDecides) {
  in_memory("flood", "100/second");
  next_app = std::make_shared<ScriptedUpstream>(clock, trace, "next");
  Split parts;
  parts.shares = {{.upstream = "app", .weight = 9, .when = {}, .seed = 1},
                  {.upstream = "next", .weight = 1, .when = {{SplitWhen::In::header, "x-next", "1"}}, .seed = 2},
                  {.upstream = "shadow", .weight = 0, .when = {}, .seed = 3}};
  route.split = std::make_shared<const Split>(parts);
  for (int i = 0; i < 50; ++i) {
    const auto told = explain("GET /a");
    EXPECT_THAT(told.drawn, ElementsAre(Pair("app", 0.9), Pair("next", 0.1)));
    EXPECT_EQ(told.upstream, "");
    EXPECT_EQ(told.ended_by, "upstream");
    EXPECT_EQ(told.limits.size(), 1U);
  }
  const auto asked = explain("GET /a", "X-Next: 1\r\n");
  EXPECT_EQ(asked.upstream, "next");
  EXPECT_THAT(asked.drawn, IsEmpty());
}

TEST_F(PathExplain, TellsThatAHeadIsTooLarge) {
  options.head_bounds.bytes = 1000;
  const auto told = explain("GET /a", "X-Long: " + std::string(1000, 'a') + "\r\n");
  EXPECT_EQ(told.status, 431U);
  EXPECT_EQ(told.ended_by, "too_large");
  EXPECT_EQ(explain("GET /" + std::string(1000, 'a')).status, 414U);
  EXPECT_EQ(explain("GET /a", "X-Long: " + std::string(900, 'a') + "\r\n").status, 0U);
}

TEST_F(PathExplain, TakesNoPermitInFlightAndTellsThatARequestWouldWait) {
  auto& limit = in_flight("exports", 1);
  limit.tiers.front().rules.front().wait = seconds(2);
  limit.tiers.front().rules.front().queue = 5;
  server.head_after = seconds(1);
  check("GET /a");
  ASSERT_FALSE(done) << "it holds the permit";
  const auto told = explain("GET /b");
  EXPECT_EQ(told.status, 429U);
  EXPECT_TRUE(told.queues);
  EXPECT_EQ(state_of(told, "exports").rules[0].used(), 1U);
  EXPECT_EQ(state_of(told, "exports").rules[0].rate, "1 in flight");
  clock.advance(seconds(1));
  ASSERT_TRUE(done);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(explain("GET /b").status, 0U);
}

TEST_F(PathExplain, UsesTheNextShardWithoutTakingItsTurn) {
  in_redis("hot", "8/hour").shards = 4;
  for (int i = 0; i < 6; ++i) {
    const auto told = explain("GET /a");
    const auto again = explain("GET /a");
    send("GET /a");
    EXPECT_EQ(told.status, 0U);
    EXPECT_EQ(told.remaining, again.remaining);
    EXPECT_EQ(std::to_string(told.remaining), field("X-RateLimit-Remaining")) << i;
  }
}

TEST_F(PathExplain, IsNoRequestUnderWay) {
  in_memory("plan", "100/hour");
  check("GET /");
  ASSERT_TRUE(done);
  const std::string series = R"(headgate_requests_in_flight{route="things"})";
  EXPECT_EQ(metric(series), "0");
  for (int i = 0; i < 3; ++i) explain("GET /");
  EXPECT_EQ(metric(series), "0");
}

}  // namespace
}  // namespace headgate::gateway::test
