// Calls of gRPC: to a real server from a real client, and frame by frame.

#include "blackbox/grpc/calling.hpp"
#include "blackbox/harness/look.hpp"
#include "blackbox/harness/real_server.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

namespace headgate::test {
namespace {

const std::string kPython = "/usr/bin/python3";
const std::string kHere = HEADGATE_SOURCE_DIR "/tests/blackbox/grpc/";

/// What the program wrote to both outputs.
std::string said_by(const std::string& line) {
  std::string out;
  FILE* const pipe = ::popen((line + " 2>&1").c_str(), "r");
  for (int c = 0; pipe != nullptr && (c = std::fgetc(pipe)) != EOF;) out += static_cast<char>(c);
  if (pipe != nullptr) ::pclose(pipe);
  return out;
}

/// A server and a client of the library that most others are built on.
class GrpcIo : public testing::Test {
 protected:
  void SetUp() override {
    if (said_by(kPython + " -c 'import grpc' && echo yes") != "yes\n") GTEST_SKIP() << "no grpcio on this machine";
    server.emplace(kPython, [](std::uint16_t port) { return Words{kHere + "server.py", std::to_string(port)}; });
    ASSERT_TRUE(server->listens()) << server->said();
  }
  Json before(const Json& more = Json::object()) const { return asking(server->url("http"), more); }
  static std::string client(const Proxy& proxy, const std::string& what) {
    return said_by(kPython + ' ' + kHere + "client.py " + std::to_string(proxy.gateway.port()) + ' ' + what);
  }
  static std::string client_with_tls(const Proxy& proxy, const std::string& what) {
    return client(proxy, what + ' ' + tls_file("ca.pem"));
  }

  std::optional<RealServer> server;
};

TEST_F(GrpcIo, GoesThroughInAllItsKindsWithTlsAndWithout) {
  const Json changes = {{"routes", {{{"path", "/*"}, {"to", "app"}, {"max_body", "10MiB"}}}}};
  const std::string kinds =
      "a:m {'x-end': 'after', 'x-bytes-bin': b'\\x00\\xff'}\n"
      "['s0', 's1', 's2']\n"
      "1,2,3\n"
      "True\n"
      "NOT_FOUND no such thing: ü 100%\n"
      "UNIMPLEMENTED\n";
  EXPECT_EQ(client(Proxy(before(changes)), "kinds"), kinds);
  Json secure = before(changes);
  secure["listen"] = {{"address", "127.0.0.1:0"},
                      {"tls", {{"certificate", tls_file("good.pem")}, {"key", tls_file("good.key")}}}};
  EXPECT_EQ(client_with_tls(Proxy(secure), "kinds"), kinds);
}

TEST_F(GrpcIo, IsToldWhatIsLeftOfTheDeadlineAndNoMoreThanTheRouteWaits) {
  const Proxy proxy(before({{"routes", {{{"path", "/*"}, {"to", "app"}, {"timeout", "2s"}}}}}));
  double none = 0, one = 0, two = 0;
  char first[8] = {}, code[32] = {}, fast[8] = {};
  const auto said = client(proxy, "deadlines");
  ASSERT_EQ(std::sscanf(said.c_str(), "%7s %lf %lf %31s %7s", first, &one, &two, code, fast), 5) << said;
  EXPECT_EQ(std::string(first), "none") << "it is not made up";
  EXPECT_GT(one, none);
  EXPECT_LT(one, 1.1);
  EXPECT_GT(two, 1.5);
  EXPECT_LT(two, 2.1) << "the library adds up to a hundredth";
  EXPECT_EQ(std::string(code) + fast, "DEADLINE_EXCEEDEDTrue");
}

const Json kOnce = {{"limits", {{"once", {{"rate", "1/second"}, {"burst", 1}, {"per", "client_ip"}}}}},
                    {"routes", {{{"path", "/*"}, {"to", "app"}, {"limits", {"once"}}}}}};

TEST_F(GrpcIo, IsToldWhenToComeBackInItsOwnWords) {
  const Proxy proxy(before(kOnce));
  const auto said = client(proxy, "refused");
  unsigned pushback = 0;
  char details[8] = {};
  ASSERT_EQ(
      std::sscanf(said.c_str(), "RESOURCE_EXHAUSTED The limit of 1/second is used up. Try again in 1 second. %u %7s",
                  &pushback, details),
      2)
      << said;
  EXPECT_GT(pushback, 500U);
  EXPECT_LE(pushback, 1000U);
  EXPECT_EQ(std::string(details), "True");
}

TEST_F(GrpcIo, ComesBackWhenThePushbackSays) {
  const Proxy proxy(before(kOnce));
  EXPECT_EQ(client(proxy, "obedient"), "a:\nTrue\n");
}

H2Server::Answer never() {
  return [](const H2Asked&) { return std::string(); };
}

TEST(Grpc, GetsEveryRefusalAsAStatusOfItsOwn) {
  H2Server server(never());
  const TemporaryFile keys(R"({"keys": []})");
  const Json routes = {{{"path", "/test.Echo/Key"}, {"to", "app"}, {"require", "api_key"}},
                       {{"path", "/test.Echo/Large"}, {"to", "app"}, {"max_body", "1KiB"}},
                       {{"path", "/test.Echo/Slow"}, {"to", "app"}, {"timeout", "100ms"}},
                       {{"path", "/test.Echo/Read"}, {"to", "app"}, {"methods", {"GET"}}}};
  Proxy proxy(asking(server.url(), {{"routes", routes}, {"identity", {{"api_key", {{"file", keys.path()}}}}}}));
  H2Client client(proxy.gateway.port());
  std::uint32_t stream = 1;
  for (const auto& [method, status, more] :
       std::vector<std::tuple<std::string, std::string, H2Fields>>{{"Key", "16", {}},
                                                                   {"Large", "8", {{"content-length", "1025"}}},
                                                                   {"Slow", "4", {}},
                                                                   {"Read", "12", {}},
                                                                   {"None", "12", {}}}) {
    client.send(h2_request(stream, call(method, more), more.empty()));
    const auto answer = client.answer(stream);
    EXPECT_EQ(answer.status, 200) << method;
    EXPECT_EQ(answer.fields.at("grpc-status"), status) << method;
    EXPECT_EQ(answer.fields.at("content-type"), "application/grpc");
    EXPECT_FALSE(answer.fields.at("grpc-message").empty());
    EXPECT_FALSE(answer.fields.contains("grpc-retry-pushback-ms") && status != "8") << method;
    EXPECT_TRUE(answer.ended && answer.body.empty() && answer.trailers.empty()) << "one head, which is trailers, too";
    stream += 2;
  }
  // Others get what they always got.
  expect_problem(proxy.client().ask("POST /test.Echo/None HTTP/1.1\r\nHost: a\r\nContent-Type: application/grpc\r\n"
                                    "Content-Length: 0\r\n\r\n"),
                 404);
  EXPECT_EQ(client.ask(stream, h2_get("/none", {{"content-type", "application/grpc-web"}}, "POST")).status, 404);
}

TEST(Grpc, SaysThatNoWaitHelpsIfNoneDoes) {
  H2Server server(never());
  Proxy proxy(
      asking(server.url(),
             {{"limits", {{"few", {{"rate", "1/second"}, {"burst", 2}, {"per", "client_ip"}}}}},
              {"routes",
               {{{"path", "/*"},
                 {"to", "app"},
                 {"limits", {{{"use", "few"}, {"cost", {{"header", "X-Cost"}, {"otherwise", 1}, {"most", 5}}}}}}}}}}));
  const auto answer = H2Client(proxy.gateway.port()).ask(1, call("Any", {{"x-cost", "5"}}));
  EXPECT_EQ(answer.fields.at("grpc-status"), "8");
  EXPECT_EQ(answer.fields.at("grpc-retry-pushback-ms"), "-1");
  EXPECT_FALSE(answer.fields.contains("grpc-status-details-bin"));
}

TEST(Grpc, IsRefusedAtOnceIfAWaitWouldOutlastItsDeadline) {
  H2Server server(once_ended([](const H2Asked& asked) {
    return h2_answer(asked.stream, {{":status", "200"}, {"content-type", "application/grpc"}, {"grpc-status", "0"}});
  }));
  Proxy proxy(asking(
      server.url(), {{"limits", {{"slow", {{"rate", "1/second"}, {"burst", 1}, {"wait", "5s"}, {"per", "client_ip"}}}}},
                     {"routes", {{{"path", "/*"}, {"to", "app"}, {"limits", {"slow"}}}}}}));
  H2Client client(proxy.gateway.port());
  EXPECT_EQ(client.ask(1, call("Any")).fields.at("grpc-status"), "0");
  const auto begun = std::chrono::steady_clock::now();
  const auto answer = client.ask(3, call("Any", {{"grpc-timeout", "500m"}}));
  EXPECT_EQ(answer.fields.at("grpc-status"), "4");
  EXPECT_LT(std::chrono::steady_clock::now() - begun, std::chrono::milliseconds(400));
  EXPECT_EQ(client.ask(5, call("Any", {{"grpc-timeout", "3S"}})).fields.at("grpc-status"), "0");
  EXPECT_GT(std::chrono::steady_clock::now() - begun, std::chrono::milliseconds(1500))
      << "its permit is lost: it must not come at a moment that another one has";
  EXPECT_EQ(server.asked().size(), 2U);
}

TEST(Grpc, HasNoServerEjectedByDeadlinesThatItChooses) {
  std::atomic<bool> answers = false;
  const auto answer = once_ended([&](const H2Asked& asked) {
    return answers ? h2_answer(asked.stream, {{":status", "200"}, {"grpc-status", "0"}}) : std::string();
  });
  H2Server one(answer), two(answer);
  Proxy proxy(asking(one.url(), {{"upstreams", {{"app", {{"servers", {one.url(), two.url()}}}}}}}));
  H2Client client(proxy.gateway.port());
  for (std::uint32_t i = 0; i < 20; ++i) {
    const auto late = client.ask(2 * i + 1, call("Any", {{"grpc-timeout", "20m"}}));
    ASSERT_EQ(late.fields.at("grpc-status"), "4");
  }
  answers = true;
  const auto before = one.asked().size();
  for (std::uint32_t i = 20; i < 30; ++i) EXPECT_EQ(client.ask(2 * i + 1, call("Any")).fields.at("grpc-status"), "0");
  EXPECT_GT(one.asked().size(), before);
  EXPECT_LT(one.asked().size(), before + 10) << "both are asked";
  EXPECT_EQ(proxy.gateway.process().err().find("ejected"), std::string::npos);
}

TEST(Grpc, IsToldInTrailersHowAnAnswerThatHasBegunEnds) {
  H2Server server(once_ended([](const H2Asked& asked) {
    return h2_request(asked.stream, {{":status", "200"}, {"content-type", "application/grpc"}}, false) +
           h2_frame(h2_data, 0, asked.stream, "half") + h2_frame(h2_rst_stream, 0, asked.stream, h2_number(2));
  }));
  Proxy proxy(asking(server.url()));
  const auto answer = H2Client(proxy.gateway.port()).ask(1, call("Any"));
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.body, "half");
  EXPECT_TRUE(answer.ended);
  ASSERT_TRUE(answer.trailers.contains("grpc-status"));
  EXPECT_EQ(answer.trailers.at("grpc-status"), "14");
}

TEST(Grpc, HasBothStatusesInLogAndMetrics) {
  H2Server server(once_ended([](const H2Asked& asked) {
    if (asked.fields.at(":path") == "/test.Echo/Only")
      return h2_answer(asked.stream, {{":status", "200"}, {"grpc-status", "5"}});
    return h2_answer(asked.stream, {{":status", "200"}}, "body", {{"grpc-status", "0"}});
  }));
  Json changes = asking(server.url(), kOnce);
  changes["admin"] = {{"listen", "127.0.0.1:0"}};
  changes["log"] = {{"format", "json"}};
  changes["routes"] = {{{"path", "/test.Echo/Limited"}, {"to", "app"}, {"limits", {"once"}}},
                       {{"path", "/*"}, {"to", "app"}}};
  Proxy proxy(changes);
  {
    H2Client client(proxy.gateway.port());
    client.ask(1, call("Limited"));
    client.ask(3, call("Limited"));
    client.ask(5, call("Only"));
  }
  const Look look(proxy.gateway.process());
  for (const auto* const line :
       {R"(headgate_grpc_requests_total{route="/test.Echo/Limited",grpc_status="OK"} 1)",
        R"(headgate_grpc_requests_total{route="/test.Echo/Limited",grpc_status="RESOURCE_EXHAUSTED"} 1)",
        R"(headgate_grpc_requests_total{route="/*",grpc_status="NOT_FOUND"} 1)"})
    EXPECT_TRUE(look.comes_to([&](const MetricsText&) { return look.text().find(line) != std::string::npos; })) << line;
  proxy.gateway.terminate();
  const auto log = proxy.gateway.process().out();
  EXPECT_NE(log.find(R"("status":200,"grpc_status":"OK")"), std::string::npos) << log;
  EXPECT_NE(log.find(R"("status":429,"grpc_status":"RESOURCE_EXHAUSTED","ended_by":"limit")"), std::string::npos)
      << log;
  EXPECT_NE(log.find(R"("status":200,"grpc_status":"NOT_FOUND")"), std::string::npos) << log;
}

}  // namespace
}  // namespace headgate::test
