// What an operator sees of requests over HTTP/2, and the end of one of them: of its stream, and of no other.

#include "blackbox/harness/h2_client.hpp"
#include "blackbox/harness/operator.hpp"

#include <gtest/gtest.h>

#include <set>

namespace headgate::test {
namespace {

class Http2UnderWay : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    proxy = new Proxy(Json{{"listen", {{"address", "127.0.0.1:0"}, {"http2", true}}},
                           {"admin", {{"listen", "127.0.0.1:0"}}},
                           {"workers", 2},
                           {"identity", {{"trusted_proxies", {"127.0.0.1"}}}},
                           {"log", {{"format", "json"}, {"access", "stderr"}}}});
    operators = new Operator(proxy->gateway.process());
  }
  static void TearDownTestSuite() {
    delete std::exchange(operators, nullptr);
    delete std::exchange(proxy, nullptr);
  }
  static std::uint16_t port() { return proxy->gateway.port(); }
  /// The requests under way, once there are so many.
  static Json rows(std::size_t count) {
    const auto until = std::chrono::steady_clock::now() + kPatience;
    Json told;
    do told = operators->get("/api/v1/requests");
    while (told["requests"].size() != count && std::chrono::steady_clock::now() < until);
    EXPECT_EQ(told["requests"].size(), count) << told;
    return told["requests"];
  }
  static Json row_of(const Json& rows, const std::string& path) {
    for (const auto& row : rows)
      if (row["path"] == path) return row;
    ADD_FAILURE() << "no " << path << " in " << rows;
    return {};
  }
  static Json end(const Json& row) {
    const auto ended = operators->ask("DELETE", "/api/v1/requests/" + row["id"].get<std::string>());
    EXPECT_EQ(ended.status(), 200) << ended.body;
    return Json::parse(ended.body);
  }
  static bool log_has(const std::string& words) {
    return proxy->gateway.process().wait_for_err(
        [&](const std::string& log) { return log.find(words) != std::string::npos; });
  }
  static H2Fields unanswered(const std::string& path, H2Fields more = {}) {
    more.emplace_back("x-test-never", "1");
    return h2_get(path, more);
  }
  static inline Proxy* proxy = nullptr;
  static inline Operator* operators = nullptr;
};

TEST_F(Http2UnderWay, EachStreamIsARowOfItsOwn) {
  H2Client client(port());
  client.send(h2_request(1, unanswered("/one")) + h2_request(3, unanswered("/two")) +
              h2_request(5, unanswered("/three")));
  RawClient other = proxy->client();
  other.send(request("GET", "/four", "X-Test-Never: 1\r\n"));
  const auto all = rows(4);
  std::set<std::string> ids;
  for (const auto& row : all) ids.insert(row["id"].get<std::string>());
  EXPECT_EQ(ids.size(), 4U) << "each has a name of its own: " << all;
  for (const std::string path : {"/one", "/two", "/three"}) EXPECT_EQ(row_of(all, path)["protocol"], "HTTP/2.0");
  EXPECT_EQ(row_of(all, "/four")["protocol"], "HTTP/1.1");
  const auto first = operators->get("/api/v1/requests?limit=1");
  EXPECT_EQ(first["matching"], 4);
  const auto connections = operators->get("/api/v1/connections")["connections"][0];
  EXPECT_EQ(connections["open"], 2) << connections;
  EXPECT_EQ(connections["requests"], 4) << connections;
}

TEST_F(Http2UnderWay, TheEndOfOneIsA503OnItsStreamAlone) {
  H2Client client(port());
  client.send(h2_request(1, unanswered("/ended")) + h2_request(3, h2_get("/lives", {{"x-test-hold", "1"}})));
  const auto before = proxy->upstream.closed();
  const auto told = end(row_of(rows(2), "/ended"));
  EXPECT_EQ(told["client"], "answered");
  const auto answer = client.answer(1);
  EXPECT_EQ(answer.status, 503);
  EXPECT_TRUE(answer.body.find("An operator of this gateway ended this request.") != std::string::npos) << answer.body;
  EXPECT_TRUE(proxy->upstream.wait_for_closed(before + 1)) << "its server has nothing to do any more";
  EXPECT_TRUE(log_has(R"("status":503,"ended_by":"operator")"));
  EXPECT_EQ(rows(1)[0]["path"], "/lives");
  proxy->upstream.release();
  EXPECT_EQ(client.answer(3).status, 200);
  EXPECT_EQ(client.ask(5, h2_get()).status, 200) << "the connection lives on";
  expect_refusal(operators->ask("DELETE", "/api/v1/requests/" + told["id"].get<std::string>()), 404);
}

TEST_F(Http2UnderWay, TheEndOfAnAnswerThatHasBegunResetsItsStreamAlone) {
  H2Client client(port());
  client.send(h2_request(1, h2_get("/long", {{"x-test-bytes", "1000000"}})) + h2_request(3, unanswered("/other")));
  while (client.answers[1].status == 0) ASSERT_TRUE(client.read());
  EXPECT_EQ(end(row_of(rows(2), "/long"))["client"], "closed");
  const auto answer = client.answer(1);
  ASSERT_TRUE(answer.reset);
  EXPECT_EQ(*answer.reset, 8U) << "CANCEL";
  client.send(h2_frame(h2_window_update, 0, 0, h2_number(1'000'000)));
  EXPECT_TRUE(log_has(R"("status":200,"ended_by":"operator")"));
  EXPECT_EQ(rows(1)[0]["path"], "/other");
  EXPECT_EQ(client.ask(5, h2_get()).status, 200);
}

TEST_F(Http2UnderWay, TheEndOfAnUploadTellsItToStop) {
  H2Client client(port());
  client.send(h2_request(1, h2_get("/up", {{"content-length", "100"}}, "POST"), false) +
              h2_frame(h2_data, 0, 1, "half"));
  const auto row = row_of(rows(1), "/up");
  end(row);
  EXPECT_EQ(client.answer(1).status, 503);
  while (!client.answers[1].reset) ASSERT_TRUE(client.read());
  EXPECT_EQ(*client.answers[1].reset, 0U);
  EXPECT_EQ(client.ask(3, h2_get()).status, 200);
}

TEST_F(Http2UnderWay, TheEndOfAnAddressEndsItsStreamsAndItsConnections) {
  H2Client busy(Socket::connect(port(), "127.0.0.1", "127.0.0.2"));
  busy.send(h2_request(1, unanswered("/one")) + h2_request(3, h2_get("/two", {{"x-test-bytes", "1000000"}})));
  while (busy.answers[3].status == 0) ASSERT_TRUE(busy.read());
  H2Client idle(Socket::connect(port(), "127.0.0.1", "127.0.0.2"));
  EXPECT_EQ(idle.ask(1, h2_get()).status, 200);
  H2Client other(port());
  other.send(h2_request(1, unanswered("/of-another")));
  rows(3);
  const auto told = operators->ask("DELETE", "/api/v1/connections/127.0.0.2");
  const auto json = Json::parse(told.body);
  EXPECT_EQ(json["requests_answered"], 1) << json;
  EXPECT_EQ(json["requests_broken_off"], 1) << json;
  EXPECT_EQ(json["connections_closed"], 1) << json;
  busy.send(h2_frame(h2_window_update, 0, 0, h2_number(1'000'000)));
  EXPECT_EQ(busy.answer(1).status, 503);
  EXPECT_TRUE(busy.answer(3).reset);
  EXPECT_TRUE(busy.closes());
  EXPECT_TRUE(idle.closes());
  EXPECT_EQ(rows(1)[0]["path"], "/of-another");
}

TEST_F(Http2UnderWay, TheEndOfACallerBehindAProxyLeavesTheOthersOfItsConnection) {
  H2Client client(port());
  client.send(h2_request(1, unanswered("/one", {{"x-forwarded-for", "192.0.2.1"}})) +
              h2_request(3, unanswered("/two", {{"x-forwarded-for", "192.0.2.2"}})) +
              h2_request(5, unanswered("/three", {{"x-forwarded-for", "192.0.2.1"}})));
  rows(3);
  const auto json = Json::parse(operators->ask("DELETE", "/api/v1/connections/192.0.2.1").body);
  EXPECT_EQ(json["requests_answered"], 2) << json;
  EXPECT_EQ(client.answer(1).status, 503);
  EXPECT_EQ(client.answer(5).status, 503);
  EXPECT_EQ(rows(1)[0]["path"], "/two");
  EXPECT_EQ(client.ask(7, h2_get()).status, 200);
}

}  // namespace
}  // namespace headgate::test
