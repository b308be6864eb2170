// A reload adds, removes and changes addresses, bounds, logs and the admin port; all of it or nothing.

#include "blackbox/harness/look.hpp"
#include "blackbox/harness/reloaded.hpp"
#include "support/free_port.hpp"

#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <thread>

namespace headgate::test {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

const Json kTwoAddresses = {{"listen", {"127.0.0.1:0", "127.0.0.1:0"}}};
const std::string kIntoTunnel = "Connection: upgrade\r\nUpgrade: x\r\n";

Json limited_to(const std::string& rate, const Json& more = Json::object()) {
  Json out = {{"limits", {{"x", {{"rate", rate}, {"per", "client_ip"}}}}}, {"all_routes", {{"limits", {"x"}}}}};
  out.merge_patch(more);
  return out;
}

bool refuses(std::uint16_t port) {
  const auto until = Clock::now() + kPatience;
  while (Clock::now() < until) {
    if (!RawClient(port).is_open()) return true;
    std::this_thread::sleep_for(Milliseconds(5));
  }
  return false;
}

std::string text_of(const std::string& path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), {}};
}

bool comes_to_hold(const std::string& path, const std::string& part) {
  const auto until = Clock::now() + kPatience;
  while (Clock::now() < until) {
    if (has(text_of(path), part)) return true;
    std::this_thread::sleep_for(Milliseconds(10));
  }
  return false;
}

TEST(ReloadedListeners, AreAddedWhileTheOthersGoOn) {
  Reloaded gateway(Json{{"workers", 2}});
  RawClient kept = gateway.client();
  ASSERT_EQ(kept.get().status(), 200);
  Json two = kTwoAddresses;
  two["workers"] = 2;
  ASSERT_TRUE(gateway.reload(two));
  const auto added = gateway.last_port("listening on ");
  ASSERT_NE(added, gateway.gateway().port());
  for (int i = 0; i < 10; ++i) EXPECT_EQ(RawClient(added).get().status(), 200);
  EXPECT_EQ(kept.get().status(), 200);
  EXPECT_EQ(gateway.client().get().status(), 200);
  EXPECT_EQ(count_of(gateway.process().err(), "\"config_needs_restart\""), 0U);
}

TEST(ReloadedListeners, ThatAreRemovedFinishWhatIsInFlightAndTheOthersLiveOn) {
  Reloaded gateway(kTwoAddresses);
  RawClient other = gateway.client(0);
  RawClient idle = gateway.client(1);
  RawClient busy = gateway.client(1);
  ASSERT_EQ(other.get().status(), 200);
  ASSERT_EQ(idle.get().status(), 200);
  busy.send(request("GET", "/", "X-Test-Hold: 1\r\n"));
  ASSERT_TRUE(gateway.upstream.wait_for_requests(3));
  ASSERT_TRUE(gateway.reload(Json{{"listen", Json::array({"127.0.0.1:0"})}, {"drain", "20s"}}));
  EXPECT_TRUE(idle.closes());
  EXPECT_TRUE(refuses(gateway.gateway().port(1)));
  gateway.upstream.release();
  const Message answer = busy.read();
  EXPECT_EQ(answer.status(), 200);
  EXPECT_EQ(answer.all("Connection"), "close") << visible(answer.head);
  EXPECT_TRUE(busy.closes());
  const Message lives = other.get();
  EXPECT_EQ(lives.status(), 200);
  EXPECT_FALSE(lives.has("Connection")) << visible(lives.head);
}

TEST(ReloadedListeners, ThatAreRemovedWaitNoLongerThanADrain) {
  Reloaded gateway(kTwoAddresses);
  RawClient stays = gateway.client(0);
  RawClient goes = gateway.client(1);
  for (auto* each : {&stays, &goes}) {
    each->send(request("GET", "/", kIntoTunnel));
    ASSERT_EQ(each->read_head().status(), 101);
  }
  ASSERT_TRUE(gateway.reload(Json{{"listen", Json::array({"127.0.0.1:0"})}, {"drain", "500ms"}}));
  goes.send("one");
  EXPECT_EQ(goes.read_bytes(3), "one") << "a tunnel goes on for a while";
  EXPECT_TRUE(goes.closes());
  stays.send("two");
  EXPECT_EQ(stays.read_bytes(3), "two");
}

TEST(ReloadedListeners, MayMoveToAnAddressWithTheSamePort) {
  const auto port = std::to_string(free_port());
  Reloaded gateway(Json{{"listen", "127.0.0.1:" + port}});
  RawClient kept = gateway.client();
  ASSERT_EQ(kept.get().status(), 200);
  ASSERT_TRUE(gateway.reload(Json{{"listen", ":" + port}}));
  EXPECT_EQ(gateway.client().get().status(), 200);
  EXPECT_EQ(Socket::connect(gateway.gateway().port(), "127.0.0.3").is_open(), true);
  EXPECT_TRUE(kept.closes());
}

TEST(ReloadedListeners, ChangeTheirOptionsWhileTheSocketStaysOpen) {
  const Json trusting = {{"identity", {{"trusted_proxies", {"127.0.0.1"}}}}};
  Reloaded gateway(trusting);
  RawClient kept = gateway.client();
  ASSERT_EQ(kept.get().status(), 200);
  Json next = trusting;
  next["listen"] = {{"address", "127.0.0.1:0"}, {"proxy_protocol", true}};
  ASSERT_TRUE(gateway.reload(next));
  EXPECT_TRUE(gateway.process().says("\"listener_changed\"")) << gateway.process().err();
  RawClient told = gateway.client();
  const auto answer = told.ask("PROXY TCP4 203.0.113.9 192.0.2.1 4711 80\r\n" + request("GET", "/"));
  EXPECT_EQ(answer.status(), 200);
  EXPECT_EQ(gateway.upstream.last().message.value("X-Forwarded-For"), "203.0.113.9");
  EXPECT_EQ(kept.get().status(), 200) << "a connection that was open has no header";
  ASSERT_TRUE(gateway.reload(trusting));
  EXPECT_EQ(gateway.client().get().status(), 200);
}

TEST(ReloadedListeners, LoseNobodyWhoWaitsToBeAccepted) {
  Reloaded gateway(kTwoAddresses);
  for (int round = 0; round < 5; ++round) {
    ASSERT_TRUE(gateway.reload(kTwoAddresses));
    const auto port = round == 0 ? gateway.gateway().port(1) : gateway.last_port("listening on ");
    std::vector<RawClient> clients;
    for (int i = 0; i < 50; ++i) {
      clients.emplace_back(port);
      EXPECT_TRUE(clients.back().send(request("GET", "/")));
    }
    ASSERT_TRUE(gateway.reload(Json{{"listen", Json::array({"127.0.0.1:0"})}, {"drain", "20s"}}));
    for (auto& each : clients) EXPECT_EQ(each.read().status(), 200);
  }
}

TEST(ReloadedListeners, ATakenPortChangesNothingAndIsNamedWithItsPlace) {
  Reloaded gateway(limited_to("5/day"));
  const Socket taken = Socket::listen();
  const auto where = "127.0.0.1:" + std::to_string(taken.local_port());
  Json next = limited_to("9/day", {{"listen", {"127.0.0.1:0", where}}, {"log", {{"format", "text"}}}});
  const auto file = gateway.as_file(next);
  ASSERT_TRUE(gateway.reload(file, "\"config_refused\""));
  const auto line = std::count(file.begin(), file.begin() + static_cast<long>(file.find(where)), '\n') + 1;
  EXPECT_TRUE(gateway.process().says("cannot listen on " + where)) << gateway.process().err();
  EXPECT_TRUE(gateway.process().says("\"line\":" + std::to_string(line))) << gateway.process().err();
  EXPECT_EQ(gateway.client().get().value("X-RateLimit-Limit"), "5");
  next["listen"] = {"127.0.0.1:0", "127.0.0.1:0"};
  next["log"] = {{"access", "/proc/nobody/writes/here"}};
  ASSERT_TRUE(gateway.reload(gateway.as_file(next), "\"config_refused\""));
  EXPECT_TRUE(gateway.process().says("cannot write the log /proc/nobody/writes/here")) << gateway.process().err();
  EXPECT_EQ(count_of(gateway.process().err(), "\"listening\""), 1U) << "the new address is not open either";
  EXPECT_EQ(gateway.client().get().value("X-RateLimit-Limit"), "5");
}

TEST(ReloadedBounds, HoldFromThenOn) {
  Reloaded gateway(Json::object());
  const std::string large = "X-Large: " + std::string(20'000, 'a') + "\r\n";
  EXPECT_EQ(gateway.client().get("/", large).status(), 431);
  ASSERT_TRUE(gateway.reload(Json{{"bounds", {{"head_size", "40KiB"}, {"connections", 2}}}}));
  RawClient one = gateway.client();
  EXPECT_EQ(one.get("/", large).status(), 200);
  RawClient two = gateway.client();
  ASSERT_TRUE(one.send(request("GET", "/", "X-Test-Hold: 1\r\n")));
  ASSERT_TRUE(two.send(request("GET", "/", "X-Test-Hold: 1\r\n")));
  ASSERT_TRUE(gateway.upstream.wait_for_requests(3));
  EXPECT_EQ(gateway.client().get().status(), 503) << "both are served";
  ASSERT_TRUE(gateway.reload(Json::object()));
  RawClient three = gateway.client();
  EXPECT_EQ(three.get().status(), 200);
  gateway.upstream.release();
  EXPECT_EQ(one.read().status(), 200);
  EXPECT_EQ(two.read().status(), 200);
  EXPECT_EQ(one.get("/", large).status(), 431) << "on a connection that was open";
}

TEST(ReloadedDrain, IsThatOfTheNewFile) {
  Reloaded gateway(Json{{"drain", "1m"}});
  ASSERT_TRUE(gateway.reload(Json{{"drain", "300ms"}}));
  RawClient client = gateway.client();
  client.send(request("GET", "/", "X-Test-Never: 1\r\n"));
  ASSERT_TRUE(gateway.upstream.wait_for_requests(1));
  EXPECT_EQ(gateway.gateway().terminate(Milliseconds(5000)), 0);
}

TEST(ReloadedLogs, GoToOtherFilesInAnotherFormatAndLoseNoLine) {
  const TemporaryFile folder("", "nothing");
  const auto path = [&](const std::string& name) {
    return fs::path(folder.path()).parent_path().string() + "/" + name;
  };
  Reloaded gateway(Json{{"log", {{"access", path("one.log")}}}});
  RawClient client = gateway.client();
  for (int i = 0; i < 20; ++i) ASSERT_EQ(client.get("/before").status(), 200);
  ASSERT_TRUE(gateway.reload(Json{{"log", {{"access", path("two.log")}, {"format", "json"}}}}));
  for (int i = 0; i < 20; ++i) ASSERT_EQ(client.get("/after").status(), 200);
  EXPECT_TRUE(comes_to_hold(path("two.log"), "\"path\":\"/after\""));
  EXPECT_TRUE(comes_to_hold(path("one.log"), "/before"));
  Json both = {{"log", {{"access", path("two.log")}, {"error", path("three.log")}, {"level", "debug"}}}};
  gateway.write(both);
  gateway.process().signal(SIGHUP);
  EXPECT_TRUE(comes_to_hold(path("three.log"), "config_reloaded"));
  ASSERT_EQ(client.get("/last").status(), 200);
  EXPECT_TRUE(comes_to_hold(path("two.log"), "/last"));
  gateway.gateway().terminate();
  EXPECT_EQ(count_of(text_of(path("one.log")), "/before"), 20U);
  EXPECT_EQ(count_of(text_of(path("two.log")), "/after"), 20U);
  EXPECT_TRUE(has(text_of(path("three.log")), "\"stopped\""));
  for (const char* name : {"one.log", "two.log", "three.log"}) fs::remove(path(name));
}

TEST(ReloadedAdmin, IsAddedMovedAndTakenAway) {
  Reloaded gateway(Json::object());
  ASSERT_TRUE(gateway.reload(Json{{"admin", {{"listen", "127.0.0.1:0"}}}}));
  const auto first = gateway.last_port("admin interface is at http://");
  ASSERT_NE(first, 0);
  const auto asked = [](const std::string& path, const std::string& fields = "") {
    return "GET " + path + " HTTP/1.1\r\nHost: 127.0.0.1\r\n" + fields + "\r\n";
  };
  EXPECT_EQ(RawClient(first).ask(asked("/metrics")).status(), 200);
  ASSERT_TRUE(gateway.reload(Json{{"admin", {{"listen", "127.0.0.1:0"}, {"token", "0123456789abcdef"}}}}));
  EXPECT_EQ(RawClient(first).ask(asked("/metrics")).status(), 401) << "the same address, and now a token";
  EXPECT_EQ(RawClient(first).ask(asked("/metrics", "Authorization: Bearer 0123456789abcdef\r\n")).status(), 200);
  const auto second = free_port();
  ASSERT_TRUE(gateway.reload(Json{{"admin", {{"listen", "127.0.0.1:" + std::to_string(second)}}}}));
  EXPECT_EQ(RawClient(second).ask(asked("/metrics")).status(), 200);
  EXPECT_TRUE(refuses(first));
  ASSERT_TRUE(gateway.reload(Json::object()));
  EXPECT_TRUE(refuses(second));
  EXPECT_EQ(gateway.client().get().status(), 200);
}

}  // namespace
}  // namespace headgate::test
