// Billed use: the report has exactly what was let through, whatever happens to Redis and to gateways.

#include "blackbox/limits/billing.hpp"

#include "blackbox/harness/reloaded.hpp"
#include "support/redis_cluster.hpp"

#include <fstream>
#include <mutex>
#include <random>

namespace headgate::test {
namespace {

const std::vector<std::string> kOwners{"acme", "globex", "initech", "umbrella", "hooli"};

/// `tokens` costs what the answer says, `plan` one, some of it for nobody; both are billed.
Json billed(const Json& redis, const Json& changes = Json::object()) {
  Json keys;
  for (const auto& owner : kOwners) keys[owner] = {{"key", owner + "-0123456789-abcdef"}, {"tier", "free"}};
  keys["hooli"]["tier"] = "unlimited";
  const Json cost = {{"response_header", "X-Cost"}, {"hold", 5}, {"most", 1000}, {"debt", true}};
  Json out = {{"admin", {{"listen", "127.0.0.1:0"}}},
              {"identity", {{"api_key", {{"keys", keys}}}}},
              {"redis", redis},
              {"limits",
               {{"plan",
                 {{"per", "api_key"},
                  {"tier_from", "api_key"},
                  {"default_tier", "free"},
                  {"tiers", {{"free", {{"rate", "60/day"}}}, {"unlimited", "unlimited"}}},
                  {"bill", true}}},
                {"tokens", {{"rate", "100000/day"}, {"per", "api_key"}, {"bill", true}}},
                {"here", {{"rate", "100000/day"}, {"per", "api_key"}, {"store", "memory"}, {"bill", true}}},
                {"silent", {{"rate", "100000/day"}, {"per", "api_key"}}}}},
              {"all_routes", {{"limits", {"plan", {{"use", "tokens"}, {"cost", cost}}, "here", "silent"}}}},
              {"routes", Json::array({{{"path", "/*"}, {"to", "app"}, {"require", "api_key"}}})}};
  out.merge_patch(changes);
  return out;
}

/// Sends random requests to both gateways, and notes what was let through.
class Traffic {
 public:
  Traffic(const Proxy& one, const Proxy& two) : gateways_{&one, &two} {}

  void run(int requests, unsigned seed) {
    std::vector<std::thread> threads;
    for (unsigned t = 0; t < 4; ++t) threads.emplace_back([this, t, seed, requests] { send(t, seed, requests / 4); });
    for (auto& thread : threads) thread.join();
  }
  const Bill& let_through() const { return bill_; }
  int rejected() const { return rejected_; }

 private:
  void send(unsigned t, unsigned seed, int requests) {
    std::mt19937 random(seed + t);
    auto client = gateways_[t % 2]->client();
    for (int i = 0; i < requests; ++i) {
      const auto& owner = kOwners[random() % kOwners.size()];
      const auto kind = random() % 10;
      const auto cost = random() % 30;
      auto fields = "X-API-Key: " + (kind == 0 ? "unknown" : owner + "-0123456789-abcdef") + "\r\n";
      if (kind < 5) fields += "X-Test-Field: X-Cost: " + std::to_string(cost) + "\r\n";
      if (kind == 5) fields += "X-Test-Status: 500\r\n";
      if (kind == 6) fields += "X-Test-Status: 404\r\n";
      const auto status = client.get("/a", fields).status();
      if (kind == 0) {
        EXPECT_EQ(status, 401);
        continue;
      }
      const std::lock_guard lock(mutex_);
      if (status == 429) {
        ++rejected_;
        continue;
      }
      EXPECT_EQ(status, kind == 5 ? 500 : kind == 6 ? 404 : 200);
      add("plan", owner, 1);
      add("here", owner, 1);
      add("tokens", owner, kind < 5 ? cost : kind == 5 ? 0 : 5);
    }
  }
  void add(const std::string& limit, const std::string& owner, std::uint64_t cost) {
    if (cost == 0) return;
    auto& sum = bill_[{limit, owner}];
    sum.first += cost;
    ++sum.second;
  }

  std::vector<const Proxy*> gateways_;
  std::mutex mutex_;
  Bill bill_;
  int rejected_ = 0;
};

using Billing = WithLedger;

TEST_F(Billing, HasExactlyWhatGatewaysLetThrough) {
  Proxy one(billed(block()));
  Proxy two(billed(block()));
  Traffic traffic(one, two);
  traffic.run(800, 1);
  EXPECT_GT(traffic.rejected(), 50);
  const Operator operators(one.gateway.process());
  EXPECT_TRUE(comes_true([&] { return bill_of(report_of(operators)) == traffic.let_through(); }));
  const auto report = report_of(operators);
  EXPECT_EQ(bill_of(report), traffic.let_through());
  EXPECT_EQ(report.find("silent"), std::string::npos);
  for (const auto& line : lines_of(report)) {
    const auto record = Json::parse(line);
    EXPECT_EQ(record.at("day"), today());
    EXPECT_EQ(record.at("complete"), false) << "the day goes on";
    EXPECT_EQ(record.at("owner"), record.at("key"));
  }
  const auto some = operators.ask("GET", "/api/v1/usage/" + today() + "?limit=here");
  EXPECT_EQ(lines_of(some.body).size(), kOwners.size());
}

TEST_F(Billing, TellsTheHistoryOfOneKeyInDaysAndMonths) {
  Proxy one(billed(block(), {{"billing", {{"keep", "100d"}}}}));
  const Operator operators(one.gateway.process());
  auto client = one.client();
  for (int i = 0; i < 3; ++i) EXPECT_EQ(client.get("/a", "X-API-Key: acme-0123456789-abcdef\r\n").status(), 200);
  EXPECT_EQ(client.get("/a", "X-API-Key: globex-0123456789-abcdef\r\n").status(), 200);
  const auto history = [&](const std::string& more) { return operators.get("/api/v1/usage?key=acme" + more); };
  ASSERT_TRUE(comes_true([&] { return history("&limit=plan").at("limits")[0].at("requests") == 3; }));
  // Half of it was used another day.
  const auto past = operators.get("/api/v1/usage").at("days")[45].at("day").get<std::string>();
  move_to(past);
  for (int i = 0; i < 2; ++i) EXPECT_EQ(client.get("/a", "X-API-Key: acme-0123456789-abcdef\r\n").status(), 200);
  ASSERT_TRUE(comes_true([&] { return history("&limit=plan").at("limits")[0].at("requests") == 5; }));
  const auto all = history("");
  EXPECT_EQ(all.at("time_zone"), "UTC");
  EXPECT_EQ(all.at("to"), today());
  ASSERT_EQ(all.at("limits").size(), 3U) << all;
  const auto plan = history("&limit=plan").at("limits").at(0);
  EXPECT_EQ(plan.at("key"), "acme");
  ASSERT_EQ(plan.at("days").size(), 2U) << plan;
  EXPECT_EQ(plan.at("days")[0], (Json{{"day", past}, {"used", 3}, {"requests", 3}, {"complete", true}}));
  EXPECT_EQ(plan.at("days")[1], (Json{{"day", today()}, {"used", 2}, {"requests", 2}, {"complete", false}}));
  Json sums;
  for (const auto& month : plan.at("months")) sums[month.at("month").get<std::string>()] = month.at("used");
  EXPECT_EQ(sums.at(past.substr(0, 7)), 3);
  EXPECT_EQ(sums.at(today().substr(0, 7)), 2);
  EXPECT_EQ(history("&limit=plan&from=" + past + "&to=" + past).at("limits")[0].at("used"), 3);
  EXPECT_EQ(history("&limit=plan&from=" + today()).at("limits")[0].at("used"), 2);
  EXPECT_EQ(operators.get("/api/v1/usage?key=nobody&limit=plan").at("limits")[0].at("used"), 0);
  expect_refusal(operators.ask("GET", "/api/v1/usage?from=" + past), 400);
  expect_refusal(operators.ask("GET", "/api/v1/usage?key=acme&from=x"), 400);
  expect_refusal(operators.ask("GET", "/api/v1/usage?key=acme&from=" + today() + "&to=" + past), 400);
  expect_refusal(operators.ask("GET", "/api/v1/usage?key=acme&to=2020-01-01"), 404);
  expect_refusal(operators.ask("GET", "/api/v1/usage?key=acme&from=2019-01-01&to=2020-01-01"), 404);
  expect_refusal(operators.ask("GET", "/api/v1/usage?key=acme&from=2999-01-01"), 404);
  expect_refusal(operators.ask("GET", "/api/v1/usage?key=acme&limit=silent"), 404);
  expect_refusal(operators.ask("GET", "/api/v1/usage?key=acme&key=globex"), 400);
  const auto ran = run_headgate({"usage", "acme", "--limit", "plan", "--admin", operators.url()});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_TRUE(has(ran.out, past.substr(0, 7)) && has(ran.out, "not complete")) << ran.out;
  EXPECT_TRUE(has(run_headgate({"usage", "acme", "--days", "--admin", operators.url()}).out, past));
  redis.stop();
  expect_refusal(operators.ask("GET", "/api/v1/usage?key=acme&limit=plan"), 503);
}

TEST_F(Billing, HasTheMembersThatTheDocumentsShow) {
  std::ifstream page(HEADGATE_SOURCE_DIR "/docs/billing.md");
  std::string shown;
  while (std::getline(page, shown) && !shown.starts_with("{\"day\"")) continue;
  Proxy one(billed(block()));
  EXPECT_EQ(one.client().get("/a", "X-API-Key: acme-0123456789-abcdef\r\n").status(), 200);
  const Operator operators(one.gateway.process());
  const auto ran = [&] {
    return run_headgate({"usage-report", "--admin", operators.url(), "--day", today(), "--limit", "plan"});
  };
  ASSERT_TRUE(comes_true([&] { return !ran().out.empty(); }));
  const auto members = [](const std::string& line) {
    std::string out;
    const auto record = nlohmann::ordered_json::parse(line);
    for (const auto& [name, value] : record.items()) out += name + ' ' + value.type_name() + '\n';
    return out;
  };
  EXPECT_EQ(members(ran().out), members(shown));
}

TEST_F(Billing, HasWhatAGatewayCountedUntilItsEnd) {
  Proxy one(billed(block()));
  Bill wanted;
  {
    Proxy two(billed(block()));
    Traffic traffic(two, two);
    traffic.run(60, 2);
    EXPECT_EQ(two.gateway.terminate(), 0);
    wanted = traffic.let_through();
  }
  EXPECT_EQ(bill_of(report_of(Operator(one.gateway.process()))), wanted) << "at once: it was told before the end";
}

TEST_F(Billing, OutlivesAnOutageOfRedis) {
  // Without rates that an outage could change: what is let through is let through in any case.
  const Json changes = {{"limits", {{"plan", {{"if_redis_down", "allow"}}}}}};
  Proxy one(billed(block(), changes));
  Proxy two(billed(block(), changes));
  Traffic traffic(one, two);
  traffic.run(100, 3);
  redis.pause();
  traffic.run(100, 4);
  std::this_thread::sleep_for(std::chrono::milliseconds(2500));  // batches are sent, and time out
  redis.resume();
  traffic.run(100, 5);
  redis.kill9();
  traffic.run(100, 6);
  ASSERT_TRUE(redis.restart()) << redis.error();
  traffic.run(100, 7);
  const Operator operators(one.gateway.process());
  EXPECT_TRUE(comes_true([&] {
    return operators.ask("GET", "/api/v1/usage/" + today()).status() == 200 &&
           bill_of(report_of(operators)) == traffic.let_through();
  }));
  EXPECT_EQ(bill_of(report_of(operators)), traffic.let_through());
}

TEST_F(Billing, CountsABatchOnceWhoseAnswerComesTooLate) {
  Proxy one(billed(block()));
  auto client = one.client();
  const auto ask = [&] {
    return client.get("/a", "X-API-Key: hooli-0123456789-abcdef\r\nX-Test-Field: X-Cost: 7\r\n").status();
  };
  const Operator operators(one.gateway.process());
  for (int round = 1; round <= 2; ++round) {
    ASSERT_EQ(ask(), 200);
    // The batch reaches the socket of a server that does not answer in time, and is done when it goes on.
    redis.pause();
    std::this_thread::sleep_for(std::chrono::milliseconds(3500));
    redis.resume();
    const auto uses = static_cast<std::uint64_t>(round);
    ASSERT_TRUE(comes_true([&] {
      const auto answer = operators.ask("GET", "/api/v1/usage/" + today() + "?limit=tokens");
      return answer.status() == 200 && answer.body.find("\"used\":" + std::to_string(7 * uses)) != std::string::npos;
    }));
    std::this_thread::sleep_for(std::chrono::milliseconds(1500));
    const auto bill = bill_of(report_of(operators));
    EXPECT_EQ(bill.at({"tokens", "hooli"}), (std::pair<std::uint64_t, std::uint64_t>{7 * uses, uses}));
  }
}

TEST_F(Billing, SaysWhatItLostAtAnEndWithoutRedis) {
  Proxy one(billed(block()));
  const Look look(one.gateway.process());
  auto client = one.client();
  redis.kill9();
  for (int i = 0; i < 3; ++i)
    EXPECT_EQ(client.get("/a", "X-API-Key: hooli-0123456789-abcdef\r\nX-Test-Field: X-Cost: 7\r\n").status(), 200);
  EXPECT_TRUE(look.comes_to([](const MetricsText& now) { return now.value("headgate_billing_waiting_keys") == 3; }));
  EXPECT_EQ(look.get("/api/v1/usage/" + today()).status(), 503);
  EXPECT_EQ(one.gateway.terminate(), 0);
  const auto err = one.gateway.process().err();
  EXPECT_NE(err.find("billed_use_lost"), std::string::npos) << err;
  EXPECT_NE(err.find("used=27"), std::string::npos) << "3 × (7 + 1 + 1): " << err;
}

TEST_F(Billing, AnswersWhatIsAskedWrongly) {
  Proxy one(billed(block(), {{"admin", {{"token", "operators-0123456789"}, {"read_token", "readers-0123456789"}}}}));
  const Operator operators(one.gateway.process(), "readers-0123456789");
  ASSERT_TRUE(Look(one.gateway.process()).status_comes_to("/readyz", 200));
  EXPECT_EQ(operators.ask("GET", "/api/v1/usage/" + today()).status(), 200) << "a reader may";
  expect_refusal(Operator(operators.port()).ask("GET", "/api/v1/usage/" + today()), 401);
  for (const char* day : {"2026-1-1", "yesterday", "2026-02-30"})
    expect_refusal(operators.ask("GET", std::string("/api/v1/usage/") + day), 400);
  for (const char* day : {"2020-01-01", "2999-01-01", "0001-01-01"})
    expect_refusal(operators.ask("GET", std::string("/api/v1/usage/") + day), 404);
  for (const char* query : {"?count=0", "?count=10001", "?count=x", "?after=x", "?after=00", "?count=1&count=2"})
    expect_refusal(operators.ask("GET", "/api/v1/usage/" + today() + query), 400);
  expect_refusal(operators.ask("GET", "/api/v1/usage/" + today() + "?limit=silent"), 404);
  const auto days = operators.get("/api/v1/usage");
  EXPECT_EQ(days.at("time_zone"), "UTC");
  EXPECT_EQ(days.at("limits"), Json({"here", "plan", "tokens"}));
  ASSERT_EQ(days.at("days").size(), 41u) << "today, and those that ended less than 40 days ago";
  EXPECT_EQ(days.at("days")[0].at("day"), today());
  EXPECT_EQ(days.at("days")[0].at("complete"), false);
  EXPECT_EQ(days.at("days")[2].at("complete"), true);
}

TEST_F(Billing, IsSpreadOverACluster) {
  RedisCluster cluster;
  ASSERT_TRUE(cluster.start(0)) << cluster.error();
  const Json block = {
      {"cluster", {"127.0.0.1:" + std::to_string(cluster.nodes[0].port())}}, {"timeout", "2s"}, {"instances", 2}};
  Proxy one(billed(block));
  Proxy two(billed(block));
  Traffic traffic(one, two);
  traffic.run(400, 9);
  const Operator operators(two.gateway.process());
  EXPECT_TRUE(comes_true([&] { return bill_of(report_of(operators)) == traffic.let_through(); }));
  EXPECT_EQ(bill_of(report_of(operators)), traffic.let_through());
}

TEST_F(Billing, FollowsAReload) {
  auto changes = billed(block());
  Reloaded file(changes);
  const Operator operators(file.process());
  auto client = file.client();
  const std::string fields = "X-API-Key: hooli-0123456789-abcdef\r\n";
  EXPECT_EQ(client.get("/a", fields).status(), 200);
  auto without = changes;
  for (const char* name : {"plan", "tokens", "here"}) without["limits"][name].erase("bill");
  ASSERT_TRUE(file.reload(without));
  EXPECT_EQ(client.get("/a", fields).status(), 200);
  expect_refusal(operators.ask("GET", "/api/v1/usage/" + today()), 404);
  EXPECT_EQ(operators.get("/api/v1/usage").at("days"), Json::array());
  ASSERT_TRUE(file.reload(changes));
  EXPECT_EQ(client.get("/a", fields).status(), 200);
  EXPECT_TRUE(comes_true([&] { return bill_of(report_of(operators))[{"plan", "hooli"}].first == 2; }));
}

}  // namespace
}  // namespace headgate::test
