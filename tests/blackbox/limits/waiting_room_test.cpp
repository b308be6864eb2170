// Waiting rooms on real gateways: what browsers and programs get, in memory and shared through Redis.

#include "blackbox/harness/gateway.hpp"
#include "contract/redis_client.hpp"
#include "support/redis_server.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
#include <mutex>
#include <optional>
#include <set>
#include <thread>
#include <vector>

namespace headgate::test {
namespace {

using Clock = std::chrono::steady_clock;
using testing::HasSubstr;
using testing::Not;

constexpr const char* kRoomSecret = "0123456789abcdef0123456789abcdef";
constexpr const char* kBrowserFields =
    "Accept: text/html,application/xhtml+xml,*/*;q=0.8\r\nSec-Fetch-Mode: navigate\r\n";

Json with_room(const Json& room) {
  Json all = {{"secret", kRoomSecret}, {"grace", "1m"}, {"stay", "10m"}};
  all.merge_patch(room);
  return {{"waiting_rooms", {{"sale", all}}},
          {"routes", Json::array({{{"path", "/*"}, {"to", "app"}, {"waiting_room", "sale"}}})}};
}

/// The room lets in one visitor, and then nobody for an hour.
Json one_an_hour() { return with_room({{"rate", "1/h"}}); }

std::string ticket_field(const std::string& ticket) { return "Waiting-Room-Ticket: " + ticket + "\r\n"; }

/// "name=value" of Set-Cookie.
std::string cookie_of(const Message& answer) {
  const auto set = answer.value("Set-Cookie");
  return set.substr(0, set.find(';'));
}

TEST(WaitingRoom, LetsAProgramInWithAPassAndTheNextOneWaitsWithATicket) {
  Proxy proxy(one_an_hour());
  const Message first = proxy.client().get();
  EXPECT_EQ(first.status(), 200);
  const auto pass = first.value("Waiting-Room-Ticket");
  EXPECT_THAT(pass, testing::StartsWith("p.1."));
  EXPECT_EQ(first.value("Cache-Control"), "private");
  EXPECT_FALSE(first.has("Set-Cookie"));

  const Message second = proxy.client().get();
  expect_problem(second, 429);
  const auto json = Json::parse(second.body);
  EXPECT_EQ(json["position"], 1);
  EXPECT_EQ(json["estimated_wait"], 3600);
  EXPECT_EQ(json["waiting_room"], "sale");
  EXPECT_EQ(json["retry_after"], 30) << "half of the grace";
  EXPECT_EQ(second.value("Retry-After"), "30");
  EXPECT_EQ(second.value("Cache-Control"), "no-store");
  EXPECT_EQ(second.value("Vary"), "Accept");
  const auto ticket = second.value("Waiting-Room-Ticket");
  EXPECT_EQ(json["ticket"], ticket);
  EXPECT_THAT(ticket, testing::StartsWith("t.2."));

  const Message again = proxy.client().get("/", ticket_field(ticket));
  EXPECT_EQ(again.status(), 429);
  EXPECT_FALSE(again.has("Waiting-Room-Ticket")) << "it has one";
  EXPECT_EQ(Json::parse(again.body)["position"], 1);
  EXPECT_EQ(Json::parse(proxy.client().get().body)["position"], 2);

  const Message inside = proxy.client().get("/", ticket_field(pass));
  EXPECT_EQ(inside.status(), 200);
  EXPECT_FALSE(inside.has("Waiting-Room-Ticket"));
  EXPECT_FALSE(inside.has("Cache-Control"));
  EXPECT_FALSE(proxy.forwarded().has("Waiting-Room-Ticket"));
}

TEST(WaitingRoom, ShowsABrowserAPageThatRefreshesItselfWithoutScripts) {
  Json config = one_an_hour();
  config["waiting_rooms"]["sale"]["page"] = {{"title", "<Sale> & \"more\""}, {"language", "de"}, {"colour", "#b4232a"}};
  Proxy proxy(config);
  const Message first = proxy.client().get("/", kBrowserFields);
  EXPECT_EQ(first.status(), 200);
  EXPECT_THAT(first.value("Set-Cookie"), HasSubstr("room-sale=p.1."));
  EXPECT_THAT(first.value("Set-Cookie"), HasSubstr("; Path=/; Max-Age=600; HttpOnly; SameSite=Lax"));
  EXPECT_FALSE(first.has("Waiting-Room-Ticket"));

  const Message page = proxy.client().get("/", kBrowserFields);
  EXPECT_EQ(page.status(), 429);
  EXPECT_EQ(page.value("Content-Type"), "text/html; charset=utf-8");
  EXPECT_EQ(page.value("Refresh"), page.value("Retry-After"));
  EXPECT_THAT(page.value("Content-Security-Policy"), HasSubstr("default-src 'none'; style-src 'sha256-"));
  EXPECT_THAT(page.body, HasSubstr("<html lang=\"de\">"));
  EXPECT_THAT(page.body, HasSubstr("<title>&lt;Sale&gt; &amp; &quot;more&quot;</title>"));
  EXPECT_THAT(page.body, HasSubstr("role=\"status\""));
  EXPECT_THAT(page.body, HasSubstr("You are number 1 in line."));
  EXPECT_THAT(page.body, HasSubstr("Estimated wait: 60 minutes."));
  EXPECT_THAT(page.body, HasSubstr("content=\"" + page.value("Refresh") + "\""));
  EXPECT_THAT(page.body, Not(HasSubstr("<script")));
  EXPECT_THAT(page.body, Not(HasSubstr("<Sale>")));
  EXPECT_THAT(page.body, Not(HasSubstr("@light")));

  const Message again = proxy.client().get("/", kBrowserFields + ("Cookie: a=1; " + cookie_of(page) + "\r\n"));
  EXPECT_EQ(again.status(), 429);
  EXPECT_THAT(again.body, HasSubstr("You are number 1 in line."));
  EXPECT_FALSE(again.has("Set-Cookie"));

  EXPECT_EQ(proxy.client().get("/", kBrowserFields + ("Cookie: a=1; " + cookie_of(first) + "; b=2\r\n")).status(), 200);
  EXPECT_EQ(proxy.forwarded().value("Cookie"), "a=1; b=2");

  RawClient head = proxy.client();
  const Message headed = head.ask(request("HEAD", "/", kBrowserFields), Kind::answer_to_head);
  EXPECT_EQ(headed.status(), 429);
  EXPECT_EQ(headed.value("Content-Type"), "text/html; charset=utf-8");
}

TEST(WaitingRoom, ShowsThePageOnlyToBrowsersThatOpenOne) {
  Proxy proxy(one_an_hour());
  EXPECT_EQ(proxy.client().get("/", kBrowserFields).status(), 200);
  for (const std::string fields :
       {"Accept: */*\r\n", "Accept: application/json\r\n", "Accept: text/html;q=0.4, application/json\r\n",
        "Accept: text/html;q=0\r\n", "Accept: text/html\r\nSec-Fetch-Mode: cors\r\n"})
    EXPECT_EQ(proxy.client().get("/", fields).value("Content-Type"), "application/problem+json") << fields;
  EXPECT_EQ(proxy.client().ask(request_with_body("POST", "/", "a=1", kBrowserFields)).value("Content-Type"),
            "application/problem+json");
  EXPECT_TRUE(proxy.client().get("/", "Sec-Fetch-Mode: cors\r\n").has("Set-Cookie")) << "a script in a browser";
}

TEST(WaitingRoom, TakesNoTicketThatIsForgedOrChangedOrOfAnotherCaller) {
  Proxy proxy(one_an_hour());
  const auto pass = proxy.client().get().value("Waiting-Room-Ticket");
  const auto ticket = proxy.client().get().value("Waiting-Room-Ticket");
  const auto is_new = [&](const std::string& fields, const std::string& source = "") {
    const Message answer = proxy.client(source).get("/", fields);
    return answer.status() == 429 && answer.has("Waiting-Room-Ticket") &&
           answer.value("Waiting-Room-Ticket").substr(0, 4) != "t.2.";
  };
  std::string earlier = ticket;
  earlier.replace(0, 4, "t.1.");
  std::string admitted = ticket;
  admitted.replace(0, 1, "p");
  for (const auto& text : {earlier, admitted, ticket.substr(0, ticket.size() - 1), ticket + "A", std::string("p"),
                           "p.1.1.1.1.00000000.AAAA" + std::string(39, 'A'), pass + "." + pass, std::string(4000, '.')})
    EXPECT_TRUE(is_new(ticket_field(text))) << text;
  EXPECT_TRUE(is_new(ticket_field(pass) + ticket_field(pass))) << "twice is nobody's word";
  EXPECT_TRUE(is_new(ticket_field(pass), "127.0.0.2")) << "a copy";
  EXPECT_EQ(proxy.client().get("/", ticket_field(pass)).status(), 200);
}

TEST(WaitingRoom, OneAddressTakesNeitherAllPlacesNorTheLine) {
  Proxy places(with_room({{"visitors", 100}}));
  RawClient greedy = places.client();
  for (int i = 0; i < 150; ++i) EXPECT_EQ(greedy.get().status(), 200) << "the newest of its places is one inside";
  for (const std::string other : {"127.0.0.2", "127.0.0.3"}) EXPECT_EQ(places.client(other).get().status(), 200);

  Proxy line(with_room({{"rate", "1/second"}, {"at_most", 5}}));
  RawClient impatient = line.client();
  for (int i = 0; i < 200; ++i) impatient.get("/", i % 2 == 0 ? "" : ticket_field("t.1.1.1.1.00000000.AAAA"));
  const Message next = line.client("127.0.0.2").get();
  EXPECT_EQ(next.status(), 429);
  EXPECT_LE(Json::parse(next.body)["position"], 6);
}

TEST(WaitingRoom, ARoomWithVisitorsOnlyTellsAnEstimate) {
  Proxy proxy(with_room({{"visitors", 1}, {"stay", "10m"}}));
  proxy.client().get();
  const auto json = Json::parse(proxy.client().get().body);
  EXPECT_EQ(json["estimated_wait"], 600);
}

TEST(WaitingRoom, APreflightOfABrowserDoesNotWait) {
  Proxy proxy(one_an_hour());
  proxy.client().get();
  const std::string fields = "Origin: https://a.example\r\nAccess-Control-Request-Method: POST\r\n";
  EXPECT_EQ(proxy.client().ask(request("OPTIONS", "/", fields)).status(), 200);
  EXPECT_EQ(proxy.client().ask(request("OPTIONS", "/")).status(), 429);
}

TEST(WaitingRoom, OnlyObservesIfToldTo) {
  Json config = one_an_hour();
  config["waiting_rooms"]["sale"]["mode"] = "observe";
  config["admin"] = {{"listen", "127.0.0.1:0"}};
  Proxy proxy(config);
  for (int i = 0; i < 5; ++i) EXPECT_EQ(proxy.client().get().status(), 200);
}

TEST(WaitingRoom, KeepsItsLineOverAReload) {
  Proxy proxy(one_an_hour());
  const auto pass = proxy.client().get().value("Waiting-Room-Ticket");
  proxy.client().get();
  proxy.gateway.process().signal(SIGHUP);
  ASSERT_TRUE(proxy.gateway.process().wait_for_err(
      [](const std::string& log) { return log.find("config_reloaded") != std::string::npos; }));
  EXPECT_EQ(Json::parse(proxy.client().get().body)["position"], 2);
  EXPECT_EQ(proxy.client().get("/", ticket_field(pass)).status(), 200);
}

TEST(WaitingRoom, TakesTicketsOfAnOlderSecret) {
  const std::string younger = "fedcba9876543210fedcba9876543210";
  Json config = one_an_hour();
  Proxy before(config);
  const auto pass = before.client().get().value("Waiting-Room-Ticket");
  config["waiting_rooms"]["sale"]["secret"] = younger;
  config["waiting_rooms"]["sale"]["previous_secret"] = kRoomSecret;
  Proxy both(config);
  EXPECT_EQ(both.client().get("/", ticket_field(pass)).status(), 200);
  config["waiting_rooms"]["sale"].erase("previous_secret");
  Proxy after(config);
  after.client().get();
  EXPECT_EQ(after.client().get("/", ticket_field(pass)).status(), 429);
}

TEST(WaitingRoom, BoundsHowManyVisitorsAreInside) {
  Proxy proxy(with_room({{"visitors", 3}, {"grace", "10s"}, {"stay", "10s"}}));
  std::vector<std::string> passes;
  for (int i = 0; i < 3; ++i) {
    const Message answer = proxy.client().get();
    EXPECT_EQ(answer.status(), 200);
    passes.push_back(answer.value("Waiting-Room-Ticket"));
  }
  const Message fourth = proxy.client().get();
  EXPECT_EQ(fourth.status(), 429);
  EXPECT_EQ(Json::parse(fourth.body)["position"], 1);
  for (const auto& pass : passes) EXPECT_EQ(proxy.client().get("/", ticket_field(pass)).status(), 200);
}

class WaitingRoomInRedis : public testing::Test {
 protected:
  void SetUp() override {
    if (!RedisServer::installed()) GTEST_SKIP() << "no redis-server on this machine";
    ASSERT_TRUE(redis.start()) << redis.error();
  }
  Json shared(const Json& room, const Json& more = Json::object()) const {
    Json out = with_room(room);
    out["redis"] = {{"url", "redis://127.0.0.1:" + std::to_string(redis.port())}, {"timeout", "2s"}, {"instances", 2}};
    out.merge_patch(more);
    return out;
  }
  RedisServer redis;
};

/// Several hundred callers at two gateways. Each waits as it is told, but asks every 100 ms.
TEST_F(WaitingRoomInRedis, LetsHundredsOfCallersOfTwoGatewaysInInOrderAtTheRate) {
  constexpr int kCallers = 300;
  constexpr int kRate = 40;
  const auto config = shared({{"rate", std::to_string(kRate) + "/second"}, {"per", Json::array()}});
  Proxy one(config);
  Proxy two(config);
  std::mutex mutex;
  std::vector<std::pair<Clock::time_point, int>> admitted;
  const auto begun = Clock::now();
  std::vector<std::jthread> threads;
  for (int t = 0; t < 12; ++t)
    threads.emplace_back([&, t] {
      std::vector<std::string> tickets(kCallers / 12);
      std::vector<bool> inside(tickets.size());
      RawClient first = one.client();
      RawClient second = two.client();
      for (int round = 0;
           std::count(inside.begin(), inside.end(), false) > 0 && Clock::now() - begun < std::chrono::seconds(60);
           ++round) {
        for (std::size_t i = 0; i < tickets.size(); ++i) {
          if (inside[i]) continue;
          auto& client = (static_cast<std::size_t>(round) + i) % 2 == 0 ? first : second;
          const Message answer = client.get("/", tickets[i].empty() ? "" : ticket_field(tickets[i]));
          if (const auto given = answer.value("Waiting-Room-Ticket"); !given.empty()) tickets[i] = given;
          if (answer.status() != 200) continue;
          inside[i] = true;
          const std::lock_guard guard(mutex);
          admitted.emplace_back(Clock::now(), std::stoi(tickets[i].substr(2)));
        }
        std::this_thread::sleep_for(Milliseconds(100));
      }
      (void)t;
    });
  threads.clear();
  ASSERT_EQ(admitted.size(), static_cast<std::size_t>(kCallers));
  std::set<int> numbers;
  for (const auto& [at, number] : admitted) {
    EXPECT_TRUE(numbers.insert(number).second) << number << " came in twice";
    // Number n is called when the line has reached it, so nobody comes in before that.
    const auto due = std::chrono::duration<double>(static_cast<double>(number - 2 * kRate) / kRate);
    EXPECT_GE(at - begun, std::chrono::duration_cast<Clock::duration>(due) - Milliseconds(300)) << number;
  }
  EXPECT_EQ(*numbers.rbegin(), kCallers) << "nobody lost its place";
}

TEST_F(WaitingRoomInRedis, OneAddressHasItsNumbersOverAllGateways) {
  const auto config = shared({{"rate", "1/h"}, {"at_most", 8}});
  Proxy one(config);
  Proxy two(config);
  for (int i = 0; i < 40; ++i) {
    one.client().get();
    two.client().get();
  }
  EXPECT_THAT(two.client("127.0.0.2").get().value("Waiting-Room-Ticket"), testing::StartsWith("t.9."));
}

TEST_F(WaitingRoomInRedis, NobodyLosesAPlaceIfRedisIsLost) {
  Proxy proxy(shared({{"rate", "1/h"}}));
  const auto pass = proxy.client().get().value("Waiting-Room-Ticket");
  std::vector<std::string> tickets;
  for (int i = 0; i < 5; ++i) tickets.push_back(proxy.client().get().value("Waiting-Room-Ticket"));
  RedisClient(redis.port()).text({"FLUSHALL"});
  const Message next = proxy.client().get();
  EXPECT_THAT(next.value("Waiting-Room-Ticket"), testing::StartsWith("t.7.")) << "no number is handed out twice";
  EXPECT_EQ(proxy.client().get("/", ticket_field(pass)).status(), 200);

  RedisClient(redis.port()).text({"FLUSHALL"});
  Proxy other(shared({{"rate", "1/h"}}));  // it knows nothing but the tickets
  const Message back = other.client().get("/", ticket_field(tickets[4]));
  EXPECT_EQ(back.status(), 429);
  // The one before it still runs. Where that has told Redis of its 7 in the meantime, too, the next is 8.
  EXPECT_THAT(other.client().get().value("Waiting-Room-Ticket"),
              testing::AnyOf(testing::StartsWith("t.7."), testing::StartsWith("t.8.")));
}

TEST_F(WaitingRoomInRedis, WhileRedisIsDownDoesWhatIsConfigured) {
  for (const std::string how : {"allow", "reject", "count_locally"}) {
    if (how != "allow") {
      ASSERT_TRUE(redis.start()) << redis.error();
    }
    Proxy proxy(shared({{"rate", "1/h"}, {"if_redis_down", how}}, {{"redis", {{"timeout", "200ms"}}}}));
    const auto pass = proxy.client().get().value("Waiting-Room-Ticket");
    const Message waits = proxy.client().get();
    ASSERT_EQ(waits.status(), 429) << how;
    redis.kill9();
    EXPECT_EQ(proxy.client().get("/", ticket_field(pass)).status(), 200) << how << ": who is inside stays inside";
    const Message back = proxy.client().get("/", ticket_field(waits.value("Waiting-Room-Ticket")));
    const Message fresh = proxy.client().get();
    if (how == "allow") {
      EXPECT_EQ(fresh.status(), 200);
    } else {
      EXPECT_EQ(fresh.status(), 429);
      EXPECT_EQ(back.status(), 429);
    }
    EXPECT_EQ(fresh.has("Waiting-Room-Ticket"), how != "reject") << how << ": nobody takes a number now";
  }
}

TEST_F(WaitingRoomInRedis, ACallerWhoseTurnIsFarCostsNoCall) {
  Proxy proxy(shared({{"rate", "1/h"}}));
  std::string last;
  for (int i = 0; i < 40; ++i) last = proxy.client().get().value("Waiting-Room-Ticket");
  RedisClient client(redis.port());
  client.text({"CONFIG", "RESETSTAT"});
  RawClient waits = proxy.client();
  for (int i = 0; i < 500; ++i) EXPECT_EQ(waits.get("/", ticket_field(last)).status(), 429);
  const std::string stats = client.text({"INFO", "commandstats"});
  const auto at = stats.find("cmdstat_evalsha:calls=");
  EXPECT_LT(at == stats.npos ? 0 : std::stoul(stats.substr(at + 22)), 50U);
}

}  // namespace
}  // namespace headgate::test
