// Limits that count the size of a GraphQL request, or the calls of a batch.

#include "unit/gateway/path/path.hpp"

namespace headgate::gateway::test {
namespace {

class PathGraphql : public Path {
 protected:
  PathGraphql() { in_memory("plan", "1000/hour"); }
  Cost& costs(std::string_view source, std::string name) {
    auto& cost = route.limits.back().cost;
    cost.from = find_cost_source(source);
    cost.name = std::move(name);
    cost.default_value = 500;
    cost.most = 600;
    return cost;
  }
  void post(const std::string& body, std::string_view type = "application/json", std::string_view target = "/graphql") {
    check("POST " + std::string(target),
          "Content-Type: " + std::string(type) + "\r\nContent-Length: " + std::to_string(body.size()) + "\r\n",
          {{body, Duration(0), {}}});
    ASSERT_TRUE(done);
    cost_ = before_ - left("plan");
    before_ = left("plan");
    x.reset();
    status_ = client.status;
    client.forget();
  }

  std::uint64_t before_ = 1000;
  std::uint64_t cost_ = 0;
  unsigned status_ = 0;
};

TEST_F(PathGraphql, CostsItsFieldsDepthOrAliases) {
  costs("graphql", "fields");
  post(R"({"query":"{ a { b c: d } }"})");
  EXPECT_EQ(cost_, 3U);
  EXPECT_EQ(app->report.body, R"({"query":"{ a { b c: d } }"})");
}

TEST_F(PathGraphql, CostsItsDepth) {
  costs("graphql", "depth");
  post(R"({"query":"{ a { b c: d } }"})");
  EXPECT_EQ(cost_, 2U);
}

TEST_F(PathGraphql, CostsItsAliases) {
  costs("graphql", "aliases");
  post(R"({"query":"{ a { b c: d } }"})");
  EXPECT_EQ(cost_, 1U);
  post(R"({"query":"{ a }"})");
  EXPECT_EQ(cost_, 0U);
}

TEST_F(PathGraphql, IsReadFromAFormAndFromTheQuery) {
  costs("graphql", "fields");
  post("query=%7B+a+b+%7D", "application/x-www-form-urlencoded");
  EXPECT_EQ(cost_, 2U);
  post("{}", "application/json", "/graphql?query=%7Ba%7D");
  EXPECT_EQ(cost_, 500U) << "the body has no document that can be read";
  post(R"({"query":"{ a b c }"})", "application/json", "/graphql?query=%7Ba%7D");
  EXPECT_EQ(cost_, 3U) << "servers could run either";
  check("GET /graphql?query=%7B%20a%20%7D");
  ASSERT_TRUE(done);
  EXPECT_EQ(before_ - left("plan"), 1U);
}

TEST_F(PathGraphql, CostsItsLargestOperationIfItsNameMayStandSomewhereElse) {
  costs("graphql", "fields");
  const std::string body = R"({"query":"query L{a} query H{a b c d}","operationName":"L"})";
  post(body);
  EXPECT_EQ(cost_, 1U);
  post(body, "application/json", "/graphql?operationName=H");
  EXPECT_EQ(cost_, 4U);
  post("operationName=H", "application/x-www-form-urlencoded",
       "/graphql?query=query+L%7Ba%7D+query+H%7Ba+b+c%7D&operationName=L");
  EXPECT_EQ(cost_, 3U);
}

TEST_F(PathGraphql, CostsOtherwiseIfItCannotBeMeasured) {
  costs("graphql", "fields").default_value = 50;
  for (const std::string body :
       {R"({"id":"persisted"})", R"({"query":"{ a"})", R"({"query":"{ a }","query":"{ b c }"})"}) {
    post(body);
    EXPECT_EQ(cost_, 50U) << body;
  }
  post("{ a b }", "application/graphql");
  EXPECT_EQ(cost_, 50U);
}

TEST_F(PathGraphql, IsRefusedIfItCannotBeMeasuredAndTheRouteSaysSo) {
  costs("graphql", "fields");
  route.unreadable_body = UnreadableBody::reject;
  post(R"({"query":"{ a"})");
  EXPECT_EQ(status_, 400U);
  EXPECT_EQ(cost_, 0U);
  post(R"({"query":"{ a }"})");
  EXPECT_EQ(status_, 200U);
}

TEST_F(PathGraphql, NeverCostsMoreThanTheMost) {
  costs("graphql", "fields").most = 100;
  std::string fields;
  for (int i = 0; i < 300; ++i) fields += "a ";
  post(R"({"query":"{ )" + fields + R"( }"})");
  EXPECT_EQ(cost_, 100U);
}

TEST_F(PathGraphql, CannotBecomeATunnel) {
  costs("graphql", "fields");
  check("GET /graphql", "Connection: Upgrade\r\nUpgrade: websocket\r\n");
  ASSERT_TRUE(done);
  EXPECT_EQ(client.status, 403U);
}

TEST_F(PathGraphql, CallsOfABatchCountOneByOne) {
  costs("calls", "json-rpc").default_value = 50;
  post(R"({"jsonrpc":"2.0","method":"tools/call","id":1})");
  EXPECT_EQ(cost_, 1U);
  post(R"([{"method":"a"},{"method":"b"},{"method":"c"}])");
  EXPECT_EQ(cost_, 3U);
  post("[]");
  EXPECT_EQ(cost_, 1U);
  post("[1,2");
  EXPECT_EQ(cost_, 50U);
  post("[1,2,3]", "text/event-stream");
  EXPECT_EQ(cost_, 50U) << "a server may ignore the type";
  post("\xEF\xBB\xBF[1,2,3]", "application/x-www-form-urlencoded");
  EXPECT_EQ(cost_, 50U);
}

}  // namespace
}  // namespace headgate::gateway::test
