// SIGHUP: a new configuration replaces the old one as a whole, and no request fails. A bad one changes nothing.

#include "blackbox/harness/reloaded.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <csignal>
#include <thread>

namespace headgate::test {
namespace {

Json rated(const std::string& rate) {
  return {{"limits", {{"x", {{"rate", rate}, {"per", "client_ip"}}}}}, {"all_routes", {{"limits", {"x"}}}}};
}

Json to(const FakeUpstream& other) { return {{"upstreams", {{"app", other.url()}}}}; }

TEST(Reload, RoutesLimitsAndUpstreamsAreTheNewOnes) {
  Reloaded gateway(Json::object());
  RawClient client = gateway.client();
  EXPECT_FALSE(client.get().has("X-RateLimit-Limit"));
  FakeUpstream other;
  Json next = rated("5/day");
  next.update(to(other));
  next["routes"] = Json::array({{{"path", "/new"}, {"to", "app"}}});
  ASSERT_TRUE(gateway.reload(next));
  EXPECT_EQ(client.get("/new").value("X-RateLimit-Limit"), "5") << "on the connection that was open";
  EXPECT_EQ(client.get("/").status(), 404);
  EXPECT_EQ(other.request_count(), 1U);
}

TEST(Reload, CarriesWhatWasUsedOverToTheNewSize) {
  Reloaded gateway(rated("4/day"));
  RawClient client = gateway.client();
  for (int i = 0; i < 4; ++i) EXPECT_EQ(client.get().status(), 200);
  ASSERT_TRUE(gateway.reload(rated("8/day")));
  for (int left = 3; left >= 0; --left)
    EXPECT_EQ(client.get().value("X-RateLimit-Remaining"), std::to_string(left)) << "four of eight were used";
  EXPECT_EQ(client.get().status(), 429);
  ASSERT_TRUE(gateway.reload(rated("2/day")));
  EXPECT_EQ(client.get().status(), 429);
}

TEST(Reload, ABadFileChangesNothingAndSaysWhy) {
  Reloaded gateway(rated("5/day"));
  RawClient client = gateway.client();
  EXPECT_EQ(client.get().value("X-RateLimit-Remaining"), "4");
  ASSERT_TRUE(gateway.reload("{ \"listen\": 7 ", "config_refused"));
  EXPECT_EQ(client.get().value("X-RateLimit-Remaining"), "3");
  ASSERT_TRUE(gateway.reload(gateway.as_file({{"limits", {{"x", {{"rate", "5/dya"}}}}}}), "config_refused"));
  EXPECT_TRUE(gateway.process().says("5/dya"));
  EXPECT_EQ(client.get().value("X-RateLimit-Remaining"), "2");
}

TEST(Reload, SaysWhatWaitsForARestart) {
  Reloaded gateway(Json::object());
  ASSERT_TRUE(gateway.reload({{"workers", 2}, {"memory", {{"max_keys", 7777}}}, {"drain", "3s"}}));
  EXPECT_TRUE(gateway.process().wait_for_err([](const std::string& text) {
    return text.find("take effect only after a restart: workers, memory\"") != std::string::npos;
  }));
}

TEST(Reload, SaysSoOnlyWhileFileAndProcessDiffer) {
  Reloaded gateway(Json{{"workers", 1}});
  const auto warnings = [&] {
    const std::string log = gateway.process().err();
    std::size_t count = 0;
    for (auto at = log.find("config_needs_restart"); at != log.npos; at = log.find("config_needs_restart", at + 1))
      ++count;
    return count;
  };
  ASSERT_TRUE(gateway.reload(gateway.as_file({{"workers", 2}}), "config_needs_restart"));
  ASSERT_TRUE(gateway.reload(gateway.as_file({{"workers", 2}}), "config_needs_restart")) << "it still does";
  ASSERT_TRUE(gateway.reload({{"workers", 1}}));
  ASSERT_TRUE(gateway.reload({{"workers", 1}}));
  EXPECT_EQ(warnings(), 2U);
}

TEST(Reload, WritesSingularAndPlural) {
  Reloaded gateway(Json::object());
  ASSERT_TRUE(gateway.reload(rated("5/day")));
  EXPECT_TRUE(gateway.process().wait_for_err([](const std::string& log) {
    return log.find("1 route, 1 limit, 1 upstream are in force") != std::string::npos;
  })) << gateway.process().err();
}

TEST(Reload, TimeoutsTakeEffectOnConnectionsThatAreOpen) {
  Reloaded gateway(Json::object());
  RawClient client = gateway.client();
  EXPECT_EQ(client.get().status(), 200);
  ASSERT_TRUE(gateway.reload({{"timeouts", {{"idle", "200ms"}, {"head", "200ms"}}}}));
  EXPECT_EQ(gateway.process().err().find("config_needs_restart"), std::string::npos);
  EXPECT_EQ(client.get().status(), 200);
  EXPECT_TRUE(client.closes()) << "idle for as long as the new file allows";
  RawClient slow = gateway.client();
  ASSERT_TRUE(slow.send("GET / HTTP/1.1\r\n"));
  EXPECT_EQ(slow.read().status(), 408);
}

TEST(Reload, ARequestUnderWayEndsAsItBegan) {
  Reloaded gateway(Json::object());
  RawClient client = gateway.client();
  ASSERT_TRUE(client.send(request("GET", "/", "X-Test-Hold: 1\r\n")));
  ASSERT_TRUE(gateway.upstream.wait_for_requests(1));
  FakeUpstream other;
  ASSERT_TRUE(gateway.reload(to(other)));
  EXPECT_EQ(gateway.client().get().status(), 200);
  EXPECT_EQ(other.request_count(), 1U);
  gateway.upstream.release();
  EXPECT_EQ(client.read().status(), 200) << "answered by the server it was sent to";
  EXPECT_EQ(gateway.upstream.request_count(), 1U);
}

TEST(Reload, UnderLoadFailsNoRequest) {
  Reloaded gateway(rated("1000000/second"));
  std::atomic<bool> stop = false;
  std::atomic<int> answered = 0;
  std::atomic<int> failed = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 3; ++t) {
    threads.emplace_back([&] {
      RawClient client = gateway.client();
      while (!stop) (client.get().status() == 200 ? answered : failed) += 1;
    });
  }
  FakeUpstream other;
  for (int i = 0; i < 10; ++i) {
    Json next = rated(std::to_string(1'000'000 - i) + "/second");
    if (i % 2 == 1) next.update(to(other));
    EXPECT_TRUE(gateway.reload(next));
  }
  const auto until = std::chrono::steady_clock::now() + kPatience;
  while ((answered <= 50 || other.request_count() == 0) && std::chrono::steady_clock::now() < until)
    std::this_thread::sleep_for(Milliseconds(5));
  stop = true;
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(failed, 0);
  EXPECT_GT(answered, 50);
  EXPECT_GT(other.request_count(), 0U);
}

TEST(Reload, KeepsTheConnectionsOfAnUpstreamThatStays) {
  Reloaded gateway(Json::object());
  RawClient client = gateway.client();
  EXPECT_EQ(client.get().status(), 200);
  ASSERT_TRUE(gateway.reload(rated("5/day")));
  EXPECT_EQ(client.get().status(), 200);
  EXPECT_EQ(gateway.upstream.connections(), 1U);
}

TEST(Reload, WithoutAFileToReadAgainNothingHappens) {
  FakeUpstream upstream;
  Gateway gateway(Words{"proxy", "--to", upstream.url(), "--listen", "127.0.0.1:0"});
  gateway.process().signal(SIGHUP);
  EXPECT_TRUE(gateway.process().wait_for_err(
      [](const std::string& text) { return text.find("no file to read again") != std::string::npos; }));
  EXPECT_EQ(gateway.client().get().status(), 200);
}

}  // namespace
}  // namespace headgate::test
