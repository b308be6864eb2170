// What an operator sees of connections and of requests under way, and the end of some.

#include "blackbox/harness/operator.hpp"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace headgate::test {
namespace {

Json with_sight(const Json& changes = Json::object()) {
  Json out = {{"admin", {{"listen", "127.0.0.1:0"}}},
              {"workers", 2},
              {"log", {{"format", "json"}, {"access", "stderr"}}},
              {"limits", {{"flights", {{"in_flight", 2}, {"per", "client_ip"}}}}},
              {"all_routes", {{"limits", {"flights"}}}}};
  out.merge_patch(changes);
  return out;
}

bool log_comes_to(Proxy& proxy, const std::string& words) {
  return proxy.gateway.process().wait_for_err(
      [&](const std::string& log) { return log.find(words) != std::string::npos; });
}

/// A request that its server does not answer.
RawClient unanswered_by(Proxy& proxy, const std::string& target = "/",
                        const std::string& fields = "X-Test-Never: 1\r\n") {
  const auto before = proxy.upstream.request_count();
  RawClient client = proxy.client();
  client.send(request("GET", target, fields));
  EXPECT_TRUE(proxy.upstream.wait_for_requests(before + 1));
  return client;
}

/// The requests under way once there are so many of them that the gateway lists.
Json requests_of(const Operator& operators, std::size_t count, const std::string& query = "") {
  const auto until = std::chrono::steady_clock::now() + kPatience;
  Json told;
  do told = operators.get("/api/v1/requests" + query);
  while (told["requests"].size() != count && std::chrono::steady_clock::now() < until);
  EXPECT_EQ(told["requests"].size(), count) << told;
  return told;
}

template <class Holds>
bool comes_soon(Holds&& holds) {
  const auto until = std::chrono::steady_clock::now() + kPatience;
  while (std::chrono::steady_clock::now() < until)
    if (holds()) return true;
  return false;
}

TEST(ConnectionsSeen, AreCountedByAddressTheOneWithTheMostFirst) {
  Proxy proxy(with_sight());
  const Operator operators(proxy.gateway.process());
  const auto port = proxy.gateway.port();
  std::vector<RawClient> many;
  for (int i = 0; i < 3; ++i) many.emplace_back(port, "127.0.0.2");
  for (auto& each : many) EXPECT_EQ(each.get().status(), 200);
  RawClient busy = unanswered_by(proxy);
  Json told;
  EXPECT_TRUE(comes_soon([&] {
    told = operators.get("/api/v1/connections");
    return told["open"] == 4 && told["connections"][0]["idle"] == 3;
  })) << told;
  EXPECT_EQ(told["workers"], 2);
  EXPECT_EQ(told["answered"], 2);
  EXPECT_EQ(told["bound"], 10'000);
  EXPECT_EQ(told["addresses"], 2);
  const auto& most = told["connections"][0];
  EXPECT_EQ(most["address"], "127.0.0.2");
  EXPECT_EQ(most["open"], 3);
  EXPECT_EQ(most["requests"], 0);
  EXPECT_EQ(most["share"], 0.0003);
  EXPECT_EQ(told["connections"][1]["requests"], 1) << told;
  const auto one = operators.get("/api/v1/connections?limit=1");
  EXPECT_EQ(one["connections"].size(), 1U);
  EXPECT_EQ(one["left_out"], 1);
}

TEST(ConnectionsSeen, ListRequestsUnderWayTheOldestFirst) {
  Proxy proxy(with_sight());
  const Operator operators(proxy.gateway.process());
  RawClient first = unanswered_by(proxy, "/first?token=secret");
  RawClient second = unanswered_by(proxy, "/second");
  const auto told = requests_of(operators, 2);
  const auto& oldest = told["requests"][0];
  EXPECT_EQ(oldest["path"], "/first") << "no query";
  EXPECT_EQ(oldest["method"], "GET");
  EXPECT_EQ(oldest["state"], "server");
  EXPECT_EQ(oldest["address"], "127.0.0.1");
  EXPECT_EQ(oldest["limit"], "flights");
  EXPECT_TRUE(oldest["key_id"].get<std::string>().starts_with("k_")) << oldest;
  EXPECT_EQ(oldest["server"], "127.0.0.1:" + std::to_string(proxy.upstream.port()));
  EXPECT_EQ(told["requests"][1]["path"], "/second");
  const auto one = requests_of(operators, 1, "?limit=1");
  EXPECT_EQ(one["requests"][0]["path"], "/first");
  EXPECT_EQ(one["matching"], 2);
  EXPECT_EQ(one["left_out"], 1);
  requests_of(operators, 0, "?route=elsewhere");
  requests_of(operators, 0, "?address=192.0.2.1");
  requests_of(operators, 2, "?address=127.0.0.1");
  requests_of(operators, 0, "?server=192.0.2.1:80");
  expect_refusal(operators.ask("GET", "/api/v1/requests?limit=0"), 400);
  expect_refusal(operators.ask("GET", "/api/v1/requests?address=me"), 400);
}

TEST(ConnectionsSeen, EndARequestWithA503AsLongAsNothingWasSent) {
  Proxy proxy(with_sight());
  const Operator operators(proxy.gateway.process());
  RawClient first = unanswered_by(proxy, "/first");
  RawClient second = unanswered_by(proxy, "/second");
  EXPECT_EQ(proxy.client().get().status(), 429) << "both permits are in use";
  const auto id = requests_of(operators, 2)["requests"][0]["id"].get<std::string>();
  const auto ended = operators.ask("DELETE", "/api/v1/requests/" + id);
  EXPECT_EQ(ended.status(), 200) << ended.body;
  EXPECT_EQ(Json::parse(ended.body)["client"], "answered");
  const auto answer = first.read();
  EXPECT_EQ(answer.status(), 503);
  EXPECT_TRUE(has(answer.body, "An operator of this gateway ended this request.")) << answer.body;
  EXPECT_TRUE(proxy.upstream.wait_for_closed(1)) << "its server has nothing to do any more";
  EXPECT_TRUE(log_comes_to(proxy, R"("status":503,"ended_by":"operator")")) << proxy.gateway.process().err();
  EXPECT_TRUE(log_comes_to(proxy, "admin_change"));
  // An answer may be read a moment before its permit is free.
  EXPECT_TRUE(comes_soon([&] { return proxy.client().get().status() == 200; })) << "its permit is free";
  EXPECT_TRUE(comes_soon([&] { return first.get().status() == 200; })) << "its connection is kept";
  EXPECT_EQ(requests_of(operators, 1)["requests"][0]["path"], "/second");
  expect_refusal(operators.ask("DELETE", "/api/v1/requests/" + id), 404);
  expect_refusal(operators.ask("DELETE", "/api/v1/requests/nonsense"), 400);
}

TEST(ConnectionsSeen, CloseTheConnectionOfARequestWhoseAnswerHasBegun) {
  Proxy proxy(with_sight());
  const Operator operators(proxy.gateway.process());
  RawClient client = proxy.client();
  client.send(request("GET", "/", "X-Test-Bytes: 100000000\r\n"));
  EXPECT_EQ(client.read_head().status(), 200);
  const auto told = requests_of(operators, 1);
  const auto& row = told["requests"][0];
  EXPECT_TRUE(row["state"] == "sending" || row["state"] == "streaming") << row;
  EXPECT_GT(row["sent_bytes"], 0);
  const auto ended = operators.ask("DELETE", "/api/v1/requests/" + row["id"].get<std::string>());
  EXPECT_EQ(Json::parse(ended.body)["client"], "closed") << ended.body;
  EXPECT_TRUE(log_comes_to(proxy, R"("status":200,"ended_by":"operator")")) << proxy.gateway.process().err();
  EXPECT_LT(client.read_to_end().size(), 100'000'000U);
}

TEST(ConnectionsSeen, EndAnUploadThatIsNotWhole) {
  Proxy proxy(with_sight());
  const Operator operators(proxy.gateway.process());
  RawClient client = proxy.client();
  client.send("POST /up HTTP/1.1\r\nHost: a.example\r\nContent-Length: 100\r\n\r\nhalf");
  Json told;
  EXPECT_TRUE(comes_soon([&] {
    told = requests_of(operators, 1);
    return told["requests"][0]["state"] != "connecting";
  }));
  EXPECT_EQ(told["requests"][0]["state"], "receiving") << told;
  EXPECT_EQ(told["requests"][0]["received_bytes"], 4) << told;
  EXPECT_EQ(operators.ask("DELETE", "/api/v1/requests/" + told["requests"][0]["id"].get<std::string>()).status(), 200);
  const auto answer = client.read();
  EXPECT_EQ(answer.status(), 503);
  EXPECT_EQ(answer.value("Connection"), "close") << "nobody can tell where a next request begins";
}

TEST(ConnectionsSeen, EndAllOfAnAddressAndOfNoOther) {
  Proxy proxy(with_sight());
  const Operator operators(proxy.gateway.process());
  RawClient other = proxy.client();
  EXPECT_EQ(other.get().status(), 200);
  RawClient idle(proxy.gateway.port(), "127.0.0.2");
  EXPECT_EQ(idle.get().status(), 200);
  RawClient busy(proxy.gateway.port(), "127.0.0.2");
  busy.send(request("GET", "/", "X-Test-Never: 1\r\n"));
  requests_of(operators, 1);
  const auto told = operators.ask("DELETE", "/api/v1/connections/127.0.0.2");
  ASSERT_EQ(told.status(), 200) << told.body;
  const auto json = Json::parse(told.body);
  EXPECT_EQ(json["requests_answered"], 1) << json;
  EXPECT_EQ(json["connections_closed"], 1) << json;
  EXPECT_TRUE(log_comes_to(proxy, "ended=2 answered=2/2")) << proxy.gateway.process().err();
  EXPECT_EQ(busy.read().status(), 503);
  EXPECT_TRUE(busy.closes());
  EXPECT_TRUE(idle.closes());
  EXPECT_EQ(other.get().status(), 200);
}

TEST(ConnectionsSeen, AreMoreThanOneLookOfAWorker) {
  constexpr int kMany = 600;
  Proxy proxy(with_sight());
  const Operator operators(proxy.gateway.process());
  std::vector<RawClient> many;
  for (int i = 0; i < kMany; ++i) many.emplace_back(proxy.gateway.port(), "127.0.0.2");
  Json told;
  EXPECT_TRUE(comes_soon([&] {
    told = operators.get("/api/v1/connections");
    return told["open"] == kMany;
  })) << told;
  EXPECT_EQ(told["answered"], 2);
  const auto ended = operators.ask("DELETE", "/api/v1/connections/127.0.0.2");
  EXPECT_EQ(Json::parse(ended.body)["connections_closed"], kMany) << ended.body;
  for (auto& each : many) EXPECT_TRUE(each.closes());
  EXPECT_TRUE(comes_soon([&] { return operators.get("/api/v1/connections")["open"] == 0; }));
}

TEST(ConnectionsSeen, AreAskedOfWorkersThatHaveSomeDuringADrain) {
  Proxy proxy(with_sight());
  const Operator operators(proxy.gateway.process());
  std::optional<RawClient> client(unanswered_by(proxy));
  EXPECT_LT(operators.ask("POST", "/api/v1/drain").status(), 300);
  Json told;
  EXPECT_TRUE(comes_soon([&] {
    told = operators.get("/api/v1/connections");
    return told["workers"] == 1 && told["answered"] == 1 && told["open"] == 1;
  })) << told;
  client.reset();
  EXPECT_EQ(proxy.gateway.process().wait(), 0);
}

TEST(ConnectionsSeen, AreAskedForByReadersAndEndedByOperators) {
  const std::string read = "token-of-readers-45678";
  Proxy proxy(with_sight({{"admin", {{"token", "token-of-operators-123"}, {"read_token", read}}}}));
  const Operator reader(proxy.gateway.process(), read);
  EXPECT_EQ(reader.ask("GET", "/api/v1/connections").status(), 200);
  EXPECT_EQ(reader.ask("GET", "/api/v1/requests").status(), 200);
  EXPECT_EQ(reader.ask("DELETE", "/api/v1/requests/0-1-1").status(), 403);
  EXPECT_EQ(reader.ask("DELETE", "/api/v1/connections/127.0.0.1").status(), 403);
}

TEST(ConnectionsSeen, HaveCommands) {
  Proxy proxy(with_sight());
  const Operator operators(proxy.gateway.process());
  const Words admin = {"--admin", operators.url()};
  const auto run = [&](Words words) {
    words.insert(words.end(), admin.begin(), admin.end());
    return run_headgate(words);
  };
  RawClient client = unanswered_by(proxy, "/x%E2%80%AEy");
  requests_of(operators, 1);
  auto ran = run({"connections"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_TRUE(has(ran.out, "1 of at most 10000 connections, of 1 address\n")) << ran.out;
  EXPECT_TRUE(has(ran.out, "127.0.0.1")) << ran.out;
  ran = run({"connections", "--requests"});
  EXPECT_TRUE(has(ran.out, "server") && has(ran.out, "GET")) << ran.out;
  EXPECT_EQ(ran.out.find("\xE2\x80\xAE"), std::string::npos) << "a path turns no line";
  ran = run({"connections", "--route", "x"});
  EXPECT_EQ(ran.code, 2) << "only requests have a route";
  ran = run({"connections", "end"});
  EXPECT_EQ(ran.code, 2) << ran.err;
  ran = run({"connections", "end", "0-1-1"});
  EXPECT_EQ(ran.code, 1);
  EXPECT_TRUE(has(ran.err, "No such request is under way")) << ran.err;
  const auto id = requests_of(operators, 1)["requests"][0]["id"].get<std::string>();
  ran = run({"connections", "end", id});
  EXPECT_TRUE(has(ran.out, "ends: its client gets a 503")) << ran.out << ran.err;
  EXPECT_EQ(client.read().status(), 503);
  ran = run_headgate({"connections", "--admin", operators.url(), "--json", "end", "--address", "::ffff:192.0.2.9"});
  EXPECT_EQ(ran.code, 0) << "the gateway of the command above: " << ran.err;
  EXPECT_EQ(Json::parse(ran.out)["address"], "192.0.2.9") << ran.out;
  ran = run({"connections", "end", "--address", "2001:db8:0:1::7"});
  EXPECT_TRUE(has(ran.out, "2001:db8:0:1::/64")) << ran.out << ran.err;
  for (const Words& words : {Words{"servers", "up", "app", "192.0.2.1:1"}, Words{"suspensions", "lift", "none", "me"},
                             Words{"overrides", "lift", "none", "me"}}) {
    Words above = {words[0], "--admin", operators.url()};
    above.insert(above.end(), words.begin() + 1, words.end());
    EXPECT_EQ(run_headgate(above).code, 1) << words[0] << ": the gateway that was named refuses it";
  }
  ran = run({"connections", "end", "--address", "127.0.0.1"});
  EXPECT_TRUE(has(ran.out, "1 other connection closed")) << ran.out << ran.err;
}

}  // namespace
}  // namespace headgate::test
