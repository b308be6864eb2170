// Requests over HTTP/2 that are malformed or too late are told in log and metrics as those over HTTP/1.1 are.

#include "blackbox/harness/h2_client.hpp"
#include "blackbox/harness/operator.hpp"
#include "blackbox/harness/reloaded.hpp"

#include <gtest/gtest.h>

namespace headgate::test {
namespace {

class Http2Refused : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    const Json route = {{"name", "all"}, {"path", "/*"}, {"to", "app"}, {"min_rate", "0"}};
    const Json slow = {{"name", "slow"}, {"path", "/slow"}, {"to", "app"}, {"min_rate", "1KiB"}};
    proxy = new Proxy(Json{{"listen", {{"address", "127.0.0.1:0"}, {"http2", true}}},
                           {"admin", {{"listen", "127.0.0.1:0"}}},
                           {"timeouts", {{"head", "300ms"}, {"body", "600ms"}}},
                           {"routes", Json::array({slow, route})},
                           {"log", {{"format", "json"}, {"access", "stderr"}}}});
    operators = new Operator(proxy->gateway.process());
  }
  static void TearDownTestSuite() {
    delete std::exchange(operators, nullptr);
    delete std::exchange(proxy, nullptr);
  }
  static std::uint16_t port() { return proxy->gateway.port(); }
  /// How often the log has these words.
  static std::size_t lines(const std::string& words) { return count_of(proxy->gateway.process().err(), words); }
  static bool log_comes_to(const std::string& words, std::size_t count) {
    return proxy->gateway.process().wait_for_err([&](const std::string& log) { return count_of(log, words) >= count; });
  }
  /// How many requests of no route had this status.
  static double counted(const std::string& code) {
    const auto text = Look(proxy->gateway.process()).text();
    double out = 0;
    for (auto at = text.find("\nheadgate_requests_total{"); at != std::string::npos;
         at = text.find("\nheadgate_requests_total{", at + 1)) {
      const auto line = text.substr(at + 1, text.find('\n', at + 1) - at - 1);
      if (line.find("code=\"" + code + "\"") != std::string::npos) out += std::stod(line.substr(line.rfind(' ')));
    }
    return out;
  }
  static inline Proxy* proxy = nullptr;
  static inline Operator* operators = nullptr;
};

TEST_F(Http2Refused, AMalformedHeadHasALineWithItsReason) {
  const auto before = counted("400");
  H2Client client(port());
  EXPECT_EQ(*client.ask(1, h2_get("/with-connection", {{"connection", "close"}})).reset, 1U);
  EXPECT_TRUE(log_comes_to("a field is not allowed in HTTP/2", 1));
  EXPECT_EQ(*client.ask(3, h2_get("/with-capitals", {{"X-A", "b"}})).reset, 1U);
  EXPECT_EQ(*client.ask(5, h2_get("/with-line-end", {{"x-a", "b\r\nc"}})).reset, 1U);
  EXPECT_TRUE(log_comes_to("the name or value of a field has a forbidden character", 1));
  EXPECT_EQ(*client.ask(7, {{":method", "GET"}, {":scheme", "http"}}).reset, 1U);
  EXPECT_TRUE(log_comes_to("a pseudo-header field is missing", 1));
  EXPECT_TRUE(log_comes_to("\"status\":400,\"ended_by\":\"bad_request\"", 4)) << proxy->gateway.process().err();
  EXPECT_EQ(lines("\"status\":400,\"ended_by\":\"bad_request\""), 4U) << "one each";
  EXPECT_EQ(lines("\"path\":\"/with-connection\",\"proto\":\"HTTP/2.0\""), 1U) << "what had come is logged";
  EXPECT_EQ(counted("400"), before + 4);
  EXPECT_EQ(client.ask(9, h2_get()).status, 200);
}

TEST_F(Http2Refused, AnOperatorSeesTheHead) {
  H2Client client(Socket::connect(port(), "127.0.0.1", "127.0.0.9"));  // of each address only the last four are kept
  client.ask(1, h2_get("/seen", {{"x-plain", "word"}, {"authorization", "Bearer abc"}, {"connection", "close"}}));
  ASSERT_TRUE(log_comes_to("\"path\":\"/seen\"", 1));
  const auto told = operators->get("/api/v1/refused?address=127.0.0.9");
  ASSERT_EQ(told["refused"].size(), 1U) << told;
  const auto& row = told["refused"][0];
  const auto head = row["head"].get<std::string>();
  EXPECT_TRUE(head.starts_with("GET /seen HTTP/2.0\r\nhost: a.example\r\nx-plain: word\r\n")) << head;
  EXPECT_EQ(head.find("abc"), std::string::npos) << head;
}

TEST_F(Http2Refused, ManyMalformedHeadsAreBounded) {
  const auto before = lines("\"ended_by\":\"bad_request\"");
  H2Client client(port());
  std::string all;
  for (std::uint32_t id = 1; id < 2'000; id += 2) all += h2_request(id, h2_get("/", {{"connection", "close"}}));
  client.send(all);
  EXPECT_TRUE(client.closes());
  EXPECT_EQ(*client.goaway, 11U) << "ENHANCE_YOUR_CALM";
  EXPECT_LT(lines("\"ended_by\":\"bad_request\"") - before, 400U);
}

TEST_F(Http2Refused, ABodyOfAnotherLengthIsA400InTheLog) {
  H2Client client(port());
  client.send(h2_request(1, h2_get("/short", {{"content-length", "5"}}, "POST"), false));
  ASSERT_TRUE(proxy->upstream.wait_for_heads(1));
  client.send(h2_frame(h2_data, kEndStream, 1, "abc"));
  EXPECT_EQ(*client.answer(1).reset, 1U);
  EXPECT_TRUE(log_comes_to("The framing of the request's body is malformed.", 1)) << proxy->gateway.process().err();
  EXPECT_EQ(lines("\"path\":\"/short\",\"proto\":\"HTTP/2.0\",\"status\":400,\"ended_by\":\"bad_request\""), 1U);
}

TEST_F(Http2Refused, AHeadThatIsNeverWholeIsA408) {
  H2Client client(port());
  client.send(h2_request(1, h2_get("/other", {{"x-test-bytes", "10"}})));
  EXPECT_EQ(client.answer(1).status, 200);
  client.send(h2_frame(h2_headers, kEndStream, 3, h2_block(h2_get("/half"))));
  const auto answer = client.answer(3);
  EXPECT_EQ(answer.status, 408);
  EXPECT_TRUE(answer.body.find("The request's head did not arrive in time.") != std::string::npos) << answer.body;
  EXPECT_TRUE(client.closes());
  EXPECT_EQ(*client.goaway, 0U);
  EXPECT_TRUE(log_comes_to("\"status\":408,\"ended_by\":\"timeout_client\"", 1)) << proxy->gateway.process().err();
}

TEST_F(Http2Refused, AHalfPrefaceIsA408OfHttp1) {
  const auto before = lines("\"status\":408,\"ended_by\":\"timeout_client\"");
  RawClient client = proxy->client();
  client.send("PRI * HT");
  const auto answer = client.read();
  EXPECT_EQ(answer.status(), 408);
  EXPECT_TRUE(client.closes());
  EXPECT_TRUE(log_comes_to("\"status\":408,\"ended_by\":\"timeout_client\"", before + 1));
}

TEST_F(Http2Refused, APrefaceAloneIsClosedInTime) {
  Socket socket = Socket::connect(port());
  socket.send("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", kPatience);
  std::string got;
  Got last = Got::bytes;
  while (last == Got::bytes) last = socket.receive(got);
  EXPECT_EQ(last, Got::end);
}

TEST_F(Http2Refused, ABodyThatIsTooLateIsA408OnItsStream) {
  H2Client client(port());
  client.send(h2_request(1, h2_get("/up", {{"content-length", "100"}}, "POST"), false) +
              h2_frame(h2_data, 0, 1, "half") + h2_request(3, h2_get("/held", {{"x-test-hold", "1"}})));
  const auto answer = client.answer(1);
  EXPECT_EQ(answer.status, 408);
  EXPECT_TRUE(answer.body.find("The request's body did not arrive in time.") != std::string::npos) << answer.body;
  while (!client.answers[1].reset) ASSERT_TRUE(client.read());
  EXPECT_EQ(*client.answers[1].reset, 0U);
  proxy->upstream.release();
  EXPECT_EQ(client.answer(3).status, 200) << "the others go on";
}

TEST_F(Http2Refused, ABodyThatTricklesIsA408OnItsStream) {
  H2Client client(port());
  client.send(h2_request(1, h2_get("/slow", {}, "POST"), false));
  const auto end = std::chrono::steady_clock::now() + kPatience;
  while (client.answers[1].status == 0 && std::chrono::steady_clock::now() < end) {
    client.send(h2_frame(h2_data, 0, 1, "x"));
    client.read(Milliseconds(50));
  }
  const auto answer = client.answer(1);
  EXPECT_EQ(answer.status, 408);
  EXPECT_TRUE(answer.body.find("The request's body arrived too slowly.") != std::string::npos) << answer.body;
  EXPECT_TRUE(log_comes_to("the client was slower than min_rate", 1));
  EXPECT_EQ(client.ask(3, h2_get()).status, 200);
}

}  // namespace
}  // namespace headgate::test
