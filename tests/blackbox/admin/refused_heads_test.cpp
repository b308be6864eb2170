// The last malformed requests, as an operator sees them.

#include "blackbox/harness/operator.hpp"

#include <gtest/gtest.h>

#include <string>

namespace headgate::test {
namespace {

Json with_one_worker(const Json& changes = Json::object()) {
  Json out = {{"admin", {{"listen", "127.0.0.1:0"}}}, {"workers", 1}};
  out.merge_patch(changes);
  return out;
}

Json refused_of(const Operator& operators, std::size_t count) {
  const auto until = std::chrono::steady_clock::now() + kPatience;
  Json told;
  do told = operators.get("/api/v1/refused?limit=1000");
  while (told["refused"].size() < count && std::chrono::steady_clock::now() < until);
  EXPECT_EQ(told["refused"].size(), count) << told;
  return told["refused"];
}

TEST(RefusedHeads, SayWhyAndWhereWithoutSecrets) {
  Proxy proxy(with_one_worker());
  const Operator operators(proxy.gateway.process());
  EXPECT_EQ(proxy.client()
                .ask("GET /a?token=s3cret HTTP/1.1\r\nHost: a.example\r\nCookie: sid=s3cret\r\nBad Name: x\r\n\r\n")
                .status(),
            400);
  const auto row = refused_of(operators, 1).at(0);
  EXPECT_EQ(row["status"], 400);
  EXPECT_EQ(row["address"], "127.0.0.1");
  EXPECT_EQ(row["reason"], "the head is malformed");
  EXPECT_EQ(row["path"], "/a");
  EXPECT_EQ(row["excerpt"]["before"], "Bad");
  EXPECT_EQ(row["excerpt"]["wrong"], " ");
  EXPECT_EQ(row["head"],
            "GET /a?token=(secret) HTTP/1.1\r\nHost: a.example\r\nCookie: (secret)\r\nBad Name: x\r\n\r\n");
  EXPECT_EQ(row.dump().find("s3cret"), std::string::npos);
  const auto ran = run_headgate({"refused", "--heads", "--admin", operators.url()});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_TRUE(has(ran.out, "400  the head is malformed  (GET a.example/a)\n    Bad Name: x")) << ran.out;
  EXPECT_TRUE(has(ran.out, "\n       ^ byte 70\n")) << ran.out;
  EXPECT_TRUE(has(ran.out, "    | Cookie: (secret)\n")) << ran.out;
}

TEST(RefusedHeads, AreThoseThatAreWrongInThemselves) {
  Proxy proxy(with_one_worker({{"timeouts", {{"head", "300ms"}}},
                               {"all_routes", {{"max_body", "3B"}}},
                               {"limits", {{"few", {{"rate", "4/day"}, {"per", "client_ip"}}}}},
                               {"routes", Json::array({{{"path", "/limited"}, {"to", "app"}, {"limits", {"few"}}},
                                                       {{"path", "/*"}, {"to", "app"}}})}}));
  const Operator operators(proxy.gateway.process());
  EXPECT_EQ(proxy.client().get().status(), 200);
  for (int i = 0; i < 4; ++i) EXPECT_EQ(proxy.client().get("/limited").status(), 200);
  EXPECT_EQ(proxy.client().get("/limited").status(), 429);
  EXPECT_EQ(proxy.client().ask("GET /" + std::string(9000, 'a') + " HTTP/1.1\r\nHost: a\r\n\r\n").status(), 414);
  EXPECT_EQ(proxy.client().ask("POST /b HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\n\r\nfour").status(), 413);
  EXPECT_EQ(proxy.client().ask("GET / HT").status(), 408);
  const auto rows = refused_of(operators, 3);
  EXPECT_EQ(rows[0]["status"], 408) << "the newest first";
  EXPECT_EQ(rows[0]["byte"], 8);
  EXPECT_EQ(rows[1]["status"], 413);
  EXPECT_FALSE(rows[1].contains("byte")) << "its head is well";
  EXPECT_TRUE(has(rows[1]["head"].get<std::string>(), "POST /b HTTP/1.1\r\n")) << rows[1];
  EXPECT_EQ(rows[2]["status"], 414);
  EXPECT_EQ(rows[2]["head_cut"], true);
}

TEST(RefusedHeads, OfOneStrangerPushOutOnlyHisOwn) {
  Proxy proxy(with_one_worker());
  const Operator operators(proxy.gateway.process());
  EXPECT_EQ(RawClient(proxy.gateway.port(), "127.0.0.2").ask("GET /mine\r\n\r\n").status(), 400);
  for (int i = 0; i < 30; ++i) EXPECT_EQ(proxy.client().ask("\x01\r\n\r\n").status(), 400);
  const auto rows = refused_of(operators, 5);
  EXPECT_EQ(rows.back()["address"], "127.0.0.2");
  const auto only = operators.get("/api/v1/refused?address=127.0.0.2");
  EXPECT_EQ(only["refused"].size(), 1U);
}

TEST(RefusedHeads, AreShownToOperatorsAlone) {
  const std::string read = "token-of-readers-45678";
  const std::string all = "token-of-operators-123";
  Proxy proxy(with_one_worker({{"admin", {{"token", all}, {"read_token", read}}}}));
  EXPECT_EQ(proxy.client().ask("GET /a HTTP/1.1\r\nHost: a\r\nBad Name: x\r\n\r\n").status(), 400);
  refused_of(Operator(proxy.gateway.process(), all), 1);
  const auto told = Operator(proxy.gateway.process(), read).get("/api/v1/refused");
  EXPECT_EQ(told["heads_shown"], false);
  const auto& row = told["refused"][0];
  EXPECT_EQ(row["reason"], "the head is malformed");
  EXPECT_EQ(row["byte"], 29);
  EXPECT_FALSE(row.contains("head") || row.contains("excerpt")) << row;
}

}  // namespace
}  // namespace headgate::test
